/// A contribution point that a module's code declares, known before the module is loaded.
public struct PointDeclaration: Sendable, Hashable {
    /// The name that points of several modules share.
    public let name: String
    /// The type of its elements, as the code writes it, with the module's own aliases replaced.
    public let element: String

    public init(name: String, element: String) {
        self.name = name
        self.element = element
    }

    /// True if the elements certainly have other types than those of a point of the same name.
    ///
    /// Only types that all modules have are compared, and only where one type has one form in code; what this
    /// can't tell, the trial of the library finds.
    public func differs(from other: PointDeclaration) -> Bool {
        guard name == other.name, let own = comparable, let theirs = other.comparable else { return false }
        return own != theirs
    }

    /// The type without spaces; nil if it may be written in another form, or names types that are unknown here.
    private var comparable: String? {
        let words = element.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let types = words.filter { $0.first?.isUppercase == true }
        guard types.allSatisfy({ Self.known.contains(String($0)) }), !words.contains("_"),
            !element.contains(where: { "<.&".contains($0) })
        else { return nil }
        // Functions on the main actor are sendable, written or not.
        return element.replacing("@Sendable", with: "").replacing("()", with: "Void").filter {
            !$0.isWhitespace
        }
    }

    /// Types that are the same in all modules.
    private static let known: Set<String> = [
        "Any", "Bool", "Character", "Day", "Double", "Duration", "Error", "Float", "HealthCheck", "Int",
        "Int32",
        "Int64", "JSONValue", "MainActor", "Money", "Never", "Sendable", "String", "Substring", "Timestamp",
        "UInt", "UInt8", "Void",
    ]
}
