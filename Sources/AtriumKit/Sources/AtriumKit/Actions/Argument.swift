/// A typed argument of an action.
public struct Argument<Value: ArgumentValue>: Sendable {
    /// The description for help and completion.
    public let description: ArgumentDescription
    private let defaultValue: Value?

    /// Declares an argument: a default of nil requires a value, unless the type is optional; completion
    /// offers the suggestions, and a secret is read without echo and kept out of history and output.
    public init(
        _ name: String, _ summary: String = "", default defaultValue: Value? = nil, choices: [String] = [],
        suggestions: [String] = [], isSecret: Bool = false
    ) {
        self.defaultValue = defaultValue ?? Value.absent
        description = ArgumentDescription(
            name: name, summary: summary, typeName: Value.argumentTypeName,
            isRequired: self.defaultValue == nil, defaultText: defaultValue?.argumentText,
            choices: choices.isEmpty ? Value.argumentChoices : choices, suggestions: suggestions,
            isSecret: isSecret, isList: Value.self == [String].self)
    }

    private init(_ description: ArgumentDescription, default defaultValue: Value?) {
        self.description = description
        self.defaultValue = defaultValue
    }

    /// Has a person who is asked for a secret type it twice, as for a new password.
    public func askedTwice() -> Argument {
        var description = description
        description.isAskedTwice = true
        return Argument(description, default: defaultValue)
    }

    func value(in values: ArgumentValues, of action: String) throws -> Value {
        guard let text = values[description.name] else {
            guard let defaultValue else { throw ArgumentError.missing(description, of: action) }
            return defaultValue
        }
        guard description.choices.isEmpty || description.choices.contains(text) else {
            throw ArgumentError.notAChoice(description, of: action, given: text)
        }
        guard let value = Value(argument: text) else {
            throw ArgumentError.wrongType(description, of: action, given: text)
        }
        return value
    }
}

/// An argument as help and completion show it.
public struct ArgumentDescription: Sendable, Hashable {
    public let name: String
    public let summary: String
    /// The type in words: "a whole number".
    public let typeName: String
    public let isRequired: Bool
    /// The default as it would be typed.
    public let defaultText: String?
    /// The allowed values; empty for any of the type.
    public let choices: [String]
    /// What completion offers if there are no choices.
    public let suggestions: [String]
    public let isSecret: Bool
    /// Whether it takes any number of values.
    public let isList: Bool
    /// Whether a person has to type the secret twice.
    @_spi(Host) public internal(set) var isAskedTwice = false
}

@_spi(Host) public struct ArgumentValues: Sendable {
    private var texts: [String: String]

    public init(_ texts: [String: String] = [:]) {
        self.texts = texts
    }

    public subscript(name: String) -> String? {
        get { texts[name] }
        set { texts[name] = newValue }
    }
}
