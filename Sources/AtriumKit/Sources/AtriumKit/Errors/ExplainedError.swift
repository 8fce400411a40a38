/// An error that a person can act on and a program can match; others are reported as
/// ``ErrorCode/unexpected``.
public protocol ExplainedError: Error {
    /// What programs match on; stable between versions.
    var code: ErrorCode { get }
    /// One sentence that names who and what.
    var message: String { get }
    /// A next step, if possible a command that can be typed.
    var hint: String? { get }
    /// The error that this one was made from, in the words of the layer below.
    var cause: (any Error)? { get }
    /// What kind of failure it is; decides the exit code.
    var category: ErrorCategory { get }
}

extension ExplainedError {
    public var hint: String? { nil }
    public var cause: (any Error)? { nil }
    public var category: ErrorCategory { .failure }
}

/// The kinds of failure that a script can tell apart by exit code.
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
    /// The person cancelled.
    case cancelled
}

/// The code of an error, in lower camel case.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public let rawValue: String

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
    /// Nobody is signed in.
    public static let notAuthenticated: ErrorCode = "notAuthenticated"
    /// The person cancelled the command.
    public static let cancelled: ErrorCode = "cancelled"
}
