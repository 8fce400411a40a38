/// A typed argument of an action.
public struct Argument<Value: ArgumentValue>: Sendable {
    /// The description for help and completion.
    public let description: ArgumentDescription
    private let defaultValue: Value?

    /// Declares an argument, required unless it has a default or an optional type; completion offers the
    /// suggestions, and a secret is read without echo and kept out of history and output.
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

    /// Returns the argument with its secret asked for twice, as for a new password.
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
    /// The name, typed as `--name` unless the value is given by position.
    public let name: String
    /// The meaning of the argument, in one line; may be empty.
    public let summary: String
    /// The type in words: "a whole number".
    public let typeName: String
    /// True if the call fails without it: it has neither a default nor an optional type.
    public let isRequired: Bool
    /// The default as it would be typed.
    public let defaultText: String?
    /// The allowed values; empty for any of the type.
    public let choices: [String]
    /// The values that completion offers if there are no choices.
    public let suggestions: [String]
    /// True if the value is read without echo and kept out of history and output.
    public let isSecret: Bool
    /// True if it takes any number of values.
    public let isList: Bool
    /// True if the user has to type the secret twice.
    @_spi(Host) public internal(set) var isAskedTwice = false
}

/// The texts of the arguments of one call, by name.
@_spi(Host) public struct ArgumentValues: Sendable {
    private var texts: [String: String]

    /// Creates values from texts as typed, by the name of the argument.
    public init(_ texts: [String: String] = [:]) {
        self.texts = texts
    }

    /// The text of an argument; nil if it was not given.
    public subscript(name: String) -> String? {
        get { texts[name] }
        set { texts[name] = newValue }
    }
}
