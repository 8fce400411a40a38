/// Reads one name, with what belongs to it, in the demangler's text.
///
/// Behind the name stand its generic parameters, the arguments or the type, and what it throws and returns:
/// `AtriumKit.Table.init(_: [A], key: Swift.String) -> AtriumKit.Table<A>`.
struct DemangledName {
    private let text: Substring

    init(_ text: Substring) {
        self.text = text
    }

    /// The name alone, as documentation writes it: `Table.init(_:key:)`.
    ///
    /// A subscript is written without arguments, as its accessors have them elsewhere.
    ///
    /// - Parameter withLabels: Whether arguments are part of it; those of a case of an enumeration are not.
    /// - Returns: The name, empty where the text has none.
    func short(withLabels: Bool = true) -> String {
        if let end = Self.operatorEnd(text) { return Self.plain(String(text[..<end])) }
        var name = ""
        var rest = text
        while let character = rest.first {
            switch character {
            case "<": _ = Self.group(&rest)
            case " " where name.isEmpty: rest.removeFirst()
            case "(" where withLabels && !name.hasSuffix(".subscript"):
                return Self.plain("\(name)(\(Self.labels(Self.group(&rest))))")
            case "(", " ", ":": return Self.plain(name)
            default: name.append(rest.removeFirst())
            }
        }
        return Self.plain(name)
    }

    /// The text on both sides of the first colon that is in no brackets; nil where there is none.
    func parts() -> (Substring, Substring)? {
        var rest = text
        while let character = rest.first {
            if character == ":" { return (text[..<rest.startIndex], rest.dropFirst()) }
            if Self.closing[character] == nil { rest.removeFirst() } else { _ = Self.group(&rest) }
        }
        return nil
    }

    private static let closing: [Character: Character] = ["(": ")", "[": "]", "<": ">"]

    /// Takes a group in brackets from the start of `rest`; returns what is between them.
    private static func group(_ rest: inout Substring) -> Substring {
        var open: [Character] = []
        var last: Character = " "
        let start = rest.dropFirst()
        while let character = rest.popFirst() {
            let isArrow = last == "-" && character == ">"
            if let close = closing[character] {
                open.append(close)
            } else if character == open.last, !isArrow {
                open.removeLast()
            }
            if open.isEmpty { return start[..<rest.startIndex].dropLast() }
            last = character
        }
        return start
    }

    /// `_:key:` of `_: [A], key: Swift.String`; of `A, B`, where none has a label, it is `_:_:`.
    private static func labels(_ arguments: Substring) -> String {
        var labels = ""
        var rest = arguments
        while !rest.isEmpty {
            rest = rest.drop { $0 == " " }
            let label = rest.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
            labels += rest[label.endIndex...].first == ":" ? "\(label):" : "_:"
            while let character = rest.first, character != "," {
                if closing[character] == nil { rest.removeFirst() } else { _ = group(&rest) }
            }
            rest = rest.dropFirst()
        }
        return labels
    }

    /// Where the sign of an operator ends, which may have brackets in it: `AtriumKit.Timestamp.< infix(…)`.
    private static func operatorEnd(_ text: Substring) -> Substring.Index? {
        let places = [" infix", " prefix", " postfix"].lazy.compactMap { text.firstRange(of: $0) }
        guard let place = places.first, let next = text[place.upperBound...].first, "(<".contains(next) else {
            return nil
        }
        return place.lowerBound
    }

    /// The name as its declaration has it.
    private static func plain(_ name: String) -> String {
        withoutAccessor(withoutModule(name)).replacing("__allocating_init", with: "init")
    }

    /// The name behind the last module in it: the demangler writes
    /// `AtriumKit.ViewModel.AtriumKit.ViewModel.SavedState` where a protocol's associated type conforms.
    private static func withoutModule(_ name: String) -> String {
        for module in ["AtriumKit.", "Swift."] {
            if let place = name.ranges(of: module).last { return String(name[place.upperBound...]) }
        }
        return name
    }

    private static func withoutAccessor(_ name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return name }
        let accessors = [
            "getter", "setter", "modify", "read", "modify2", "read2", "yielding_borrow", "yielding_mutate",
            "unsafeAddressor", "unsafeMutableAddressor",
        ]
        return accessors.contains(String(name[name.index(after: dot)...])) ? String(name[..<dot]) : name
    }
}
