/// An error that a user can act on and a program can match; others are reported as ``ErrorCode/unexpected``.
public protocol ExplainedError: Error {
    /// The code that programs match on; stable between versions.
    var code: ErrorCode { get }
    /// One sentence that names who and what.
    var message: String { get }
    /// A next step, if possible a command that can be typed.
    var hint: String? { get }
    /// The underlying error, from the layer below.
    var cause: (any Error)? { get }
    /// The kind of failure; decides the exit code.
    var category: ErrorCategory { get }
}

extension ExplainedError {
    /// No next step, by default.
    public var hint: String? { nil }
    /// No underlying error, by default.
    public var cause: (any Error)? { nil }
    /// `failure`, by default.
    public var category: ErrorCategory { .failure }
}

/// The kinds of failure, which scripts distinguish by exit code.
@frozen public enum ErrorCategory: Sendable, Hashable {
    /// A command could not be done.
    case failure
    /// Input breaks a rule.
    case validation
    /// The host was started with unknown options.
    case usage
    /// A module could not be loaded.
    case module
    /// A guard refused.
    case refused
    /// The user cancelled.
    case cancelled
}

/// The code of an error, in lower camel case.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public let rawValue: String

    /// Creates a code; use lower camel case, and keep it between versions.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    public var description: String { rawValue }

    /// An error without an explanation.
    public static let unexpected: ErrorCode = "unexpected"
    /// Something does not exist.
    public static let notFound: ErrorCode = "notFound"
    /// A value breaks a rule of its field.
    public static let validation: ErrorCode = "validation"
    /// No user is signed in.
    public static let notAuthenticated: ErrorCode = "notAuthenticated"
    /// The user cancelled the command.
    public static let cancelled: ErrorCode = "cancelled"
}
