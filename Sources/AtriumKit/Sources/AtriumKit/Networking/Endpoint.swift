/// One operation of a server's API, with the type of its answer.
///
/// ```swift
/// extension Endpoint where Answer == EntityAnswer {
///     static func entity(_ id: Int) -> Self { Endpoint(.get, "v1/entities/:id", ["id": "\(id)"]) }
/// }
/// let answer = try await api.request(.entity(42))
/// ```
public struct Endpoint<Answer: Decodable & Sendable>: Sendable {
    /// What is common to endpoints of every answer.
    public var call: APICall

    /// Describes an operation.
    ///
    /// - Parameters:
    ///   - method: The method; decides what may be repeated.
    ///   - pattern: The path behind the base URL; `:name` stands for a value and is what metrics are kept by.
    ///   - values: The values of the pattern's names; percent-encoded when they are put in.
    ///   - query: The query, in order; members without a value are left out.
    ///   - body: What is sent.
    ///   - access: Whether the request carries the token of who is signed in.
    public init(
        _ method: HTTPMethod, _ pattern: String, _ values: [String: String] = [:],
        query: [(String, String?)] = [], body: APIBody = .none, access: APIAccess = .optional
    ) {
        call = APICall(
            method: method, pattern: pattern, values: values,
            query: query.compactMap { name, value in value.map { HTTPFields.Field(name: name, value: $0) } },
            body: body, access: access)
    }

    /// The operation with other settings: `.entity(42).with { $0.timeLimit = .seconds(2) }`.
    public func with(_ change: (inout APICall) -> Void) -> Self {
        var copy = self
        change(&copy.call)
        return copy
    }
}

/// A request to a server's API, before tokens and retries.
public struct APICall: Sendable {
    public var method: HTTPMethod
    /// The path behind the base URL, with `:name` for values.
    public var pattern: String
    public var values: [String: String]
    /// The query, in order.
    public var query: [HTTPFields.Field]
    public var fields = HTTPFields()
    public var body: APIBody
    public var access: APIAccess
    /// Whether the request may be sent again after a failure; nil decides by the method.
    public var repetition: Repetition?
    /// Whether a stored answer may be used.
    public var freshness = Freshness.standard
    /// How long all attempts together may take; nil for the client's limit.
    public var timeLimit: Duration?
    /// The largest answer, in bytes; nil for the client's limit.
    public var answerLimit: Int?

    /// Whether a request may be sent again.
    public enum Repetition: Sendable, Hashable {
        /// Never, not even where it may not have arrived.
        case never
        /// As it is: its effect is the same as once.
        case safe
        /// With an `Idempotency-Key`, by which the server knows it again.
        case withKey
    }

    /// Whether a stored answer may be used.
    public enum Freshness: Sendable, Hashable {
        /// As the server's `Cache-Control` says.
        case standard
        /// The server is asked, whatever is stored.
        case reload
        /// Nothing is stored and nothing stored is used.
        case none
    }
}

/// What an API request carries.
public enum APIBody: Sendable {
    case none
    /// A value, as JSON.
    case json(any Encodable & Sendable)
    /// Names and values, as `application/x-www-form-urlencoded`.
    case form([(String, String)])
    /// The file at a path, streamed.
    case file(String, contentType: String)
}

/// Whether a request carries the token of who is signed in.
public enum APIAccess: Sendable, Hashable {
    /// Never.
    case anonymous
    /// Where somebody is signed in.
    case optional
    /// Always: fails with code `notAuthenticated` where nobody is, without asking the server.
    case required
    /// With these tokens instead, which are not renewed.
    case explicit(AccessTokens)
}

/// The answer of an operation that answers nothing, or nothing that matters.
public struct NoAnswer: Decodable, Sendable, Hashable {
    public init() {}

    public init(from decoder: any Decoder) throws {}
}
