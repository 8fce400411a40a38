/// The reason that an action refused its arguments; nothing was done.
public struct ArgumentError: ExplainedError {
    /// `missingArgument`, `invalidArgument` or `unknownArgument`.
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    /// Always `validation`.
    public var category: ErrorCategory { .validation }

    @_spi(Host) public init(_ code: ErrorCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    static func missing(_ argument: ArgumentDescription, of action: String) -> ArgumentError {
        ArgumentError(
            .missingArgument, "'\(action)' needs a value for '\(argument.name)'.",
            hint: argument.isSecret
                ? "Add --\(argument.name) @env:NAME or @file:PATH."
                : "Add --\(argument.name) followed by \(argument.typeName).")
    }

    static func wrongType(_ argument: ArgumentDescription, of action: String, given: String) -> ArgumentError
    {
        ArgumentError(
            .invalidArgument,
            "'\(argument.name)' of '\(action)' must be \(argument.typeName), not '\(argument.shown(given))'.")
    }

    static func notAChoice(_ argument: ArgumentDescription, of action: String, given: String) -> ArgumentError
    {
        let choices = argument.choices.joined(separator: ", ")
        return ArgumentError(
            .invalidArgument,
            "'\(argument.name)' of '\(action)' must be one of \(choices), not '\(argument.shown(given))'.",
            hint: NearestName.of(given, among: argument.choices).map { "Did you mean '\($0)'?" })
    }
}

extension ArgumentDescription {
    func shown(_ given: String) -> String { isSecret ? "…" : given.excerpt }
}

extension ErrorCode {
    /// A required argument is missing.
    public static let missingArgument: ErrorCode = "missingArgument"
    /// A value has the wrong type or is none of the choices.
    public static let invalidArgument: ErrorCode = "invalidArgument"
    /// There is no argument of that name.
    public static let unknownArgument: ErrorCode = "unknownArgument"
}
