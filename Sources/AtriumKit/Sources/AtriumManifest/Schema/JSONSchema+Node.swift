extension JSONSchema {
    /// One compiled subschema; a constraint that isn't set allows everything.
    ///
    /// A class, so that a validator that walks the schema copies references, not constraints.
    final class Node: Sendable {
        let constraints: Constraints

        init(_ constraints: Constraints) {
            self.constraints = constraints
        }
    }

    /// What a subschema says about a value.
    struct Constraints: Sendable {
        /// The node that `$ref` names; it constrains the value too.
        var reference: Int?

        var types: [TypeName]?
        var allowed: [ManifestValue]?

        var properties: [Property] = []
        var required: [String] = []
        var additional = Additional.allowed
        var propertyNames: Int?

        var pattern: Pattern?
        var minimumLength: Int?

        var items: Int?
        var minimumItems: Int?
        var itemsAreUnique = false

        var minimum: Double?
        var maximum: Double?

        /// What a text that matches the pattern is called: "semantic version".
        var title: String?

        /// What the pattern allows, in words.
        var summary: String?

        /// A text that matches the pattern.
        var example: String?
    }

    /// A key that an object may have.
    struct Property: Sendable {
        let key: String
        let node: Int
    }

    /// What is said about keys that `properties` does not name.
    enum Additional: Sendable {
        case allowed
        case forbidden
        case constrained(Int)
    }

    /// The types of JSON Schema.
    enum TypeName: String, Sendable, CaseIterable {
        case null, boolean, integer, number, string, array, object

        /// The type with its article, for messages.
        var phrase: String {
            switch self {
            case .null: "null"
            case .integer, .array, .object: "an \(rawValue)"
            case .boolean, .number, .string: "a \(rawValue)"
            }
        }

        /// Whether a value is of this type; a number without fraction is an integer, as the standard says.
        func includes(_ content: LocatedJSON.Content) -> Bool {
            switch (self, content) {
            case (.null, .null), (.boolean, .bool), (.string, .string), (.array, .array), (.object, .object),
                (.integer, .integer), (.number, .integer), (.number, .number):
                true
            case (.integer, .number(let number)): number.rounded() == number
            default: false
            }
        }

        /// The narrowest type of a value.
        static func of(_ content: LocatedJSON.Content) -> TypeName {
            switch content {
            case .null: .null
            case .bool: .boolean
            case .integer: .integer
            case .number: .number
            case .string: .string
            case .array: .array
            case .object: .object
            }
        }
    }
}
