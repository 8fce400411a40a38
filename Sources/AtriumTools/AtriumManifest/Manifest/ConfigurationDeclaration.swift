/// A value that `modules.json` may set for a module.
public struct ConfigurationDeclaration: Sendable, Hashable {
    /// What the value must be.
    public enum ValueType: String, Sendable, CaseIterable {
        case string, integer, number, boolean
    }

    /// The key under which the value is set.
    public let key: String

    /// What the value must be.
    public let type: ValueType

    /// The value if none is set.
    public let defaultValue: ManifestValue?

    /// The values that are allowed; empty if every value of the type is.
    public let choices: [ManifestValue]

    /// What the value is for, in one line.
    public let summary: String

    public init(
        key: String, type: ValueType, defaultValue: ManifestValue? = nil, choices: [ManifestValue] = [],
        summary: String
    ) {
        self.key = key
        self.type = type
        self.defaultValue = defaultValue
        self.choices = choices
        self.summary = summary
    }

    /// Why a value can't be set, as what follows its name in a sentence: `must be an integer, not 'x'`; `nil`
    /// if it can.
    ///
    /// A whole number such as `1.0` is an integer, as in JSON Schema.
    public func problem(with value: ManifestValue) -> String? {
        guard type.includes(value) else { return "must be \(type.phrase), not \(value.excerpt)" }
        if choices.isEmpty || choices.contains(where: { $0.isSameJSON(as: value) }) { return nil }
        return "must be \(Wording.alternatives(choices.map(\.excerpt))), not \(value.excerpt)"
    }
}

extension ConfigurationDeclaration.ValueType {
    /// Whether a value is of this type.
    func includes(_ value: ManifestValue) -> Bool {
        switch (self, value.canonical) {
        case (.string, .string), (.integer, .integer), (.number, .integer), (.number, .number),
            (.boolean, .bool):
            true
        default: false
        }
    }

    /// The type with its article, for messages.
    var phrase: String {
        self == .integer ? "an integer" : "a \(rawValue)"
    }
}
