/// One operation of a server's API, with the type of its answer; an optional type also takes an empty answer.
///
/// ```swift
/// extension Endpoint where Answer == EntityAnswer {
///     static func entity(_ id: Int) -> Self { Endpoint(.get, "v1/entities/:id", ["id": "\(id)"]) }
/// }
/// let answer = try await api.request(.entity(42))
/// ```
public struct Endpoint<Answer: Decodable & Sendable>: Sendable {
    /// The request.
    public var call: APICall

    /// Describes an operation: `:name` in the pattern is replaced by a percent-encoded value, and members of
    /// the query without a value are left out.
    public init(
        _ method: HTTPMethod, _ pattern: String, _ values: [String: String] = [:],
        query: [(String, String?)] = [], body: APIBody = .none, access: APIAccess = .optional
    ) {
        call = APICall(
            method: method, pattern: pattern, values: values,
            query: query.compactMap { name, value in value.map { HTTPFields.Field(name: name, value: $0) } },
            body: body, access: access)
    }

    /// Returns the operation with other settings: `.entity(42).with { $0.timeLimit = .seconds(2) }`.
    public func with(_ change: (inout APICall) -> Void) -> Self {
        var copy = self
        change(&copy.call)
        return copy
    }

    /// Returns the request for a page, numbered from 1, in the query as the API's conventions say; see
    /// ``APIPage``.
    public func page(_ number: Int, size: Int? = nil) -> Self {
        with {
            $0.page = number
            $0.pageSize = size
        }
    }

    /// Returns the request for the page at `cursor`, which is ``APIPage/next`` of the previous page; nil
    /// requests the first page.
    ///
    /// ```swift
    /// var page = try await api.request(notes.page(after: nil, size: 100))
    /// while let next = page.next { page = try await api.request(notes.page(after: next, size: 100)) }
    /// ```
    public func page(after cursor: String?, size: Int? = nil) -> Self {
        page(1, size: size).with { $0.cursor = cursor }
    }
}

/// A request to a server's API, before tokens and retries.
public struct APICall: Sendable {
    public var method: HTTPMethod
    /// The path relative to the base URL, with `:name` for values.
    public var pattern: String
    /// The values of the pattern by name, not yet percent-encoded.
    public var values: [String: String]
    /// The query, in order.
    public var query: [HTTPFields.Field]
    /// The page of a list, from 1, in the parameters of ``APIConventions/Paging``; nil for no page.
    public var page: Int?
    /// The number of rows on a page; nil for the server's.
    public var pageSize: Int?
    /// The cursor of the page, if the API's pages have cursors; nil for the first page.
    public var cursor: String?
    /// The header fields, besides those that the client adds.
    public var fields = HTTPFields()
    public var body: APIBody
    /// True if the request carries the user's token.
    public var access: APIAccess
    /// True if the request may be retried; nil decides by the method.
    public var repetition: Repetition?
    /// True if a stored answer may be used.
    public var freshness = Freshness.standard
    /// The time limit of all attempts together; nil for the client's.
    public var timeLimit: Duration?
    /// The largest answer, in bytes; nil for the client's limit.
    public var answerLimit: Int?

    /// True if a request may be retried.
    public enum Repetition: Sendable, Hashable {
        /// Never, not even if it may not have arrived.
        case never
        /// Always: repeating it has no further effect.
        case safe
        /// With a key, by which the server recognizes a repetition; never if the API has no
        /// ``APIConventions/idempotencyHeader``.
        case withKey
    }

    /// True if a stored answer may be used.
    public enum Freshness: Sendable, Hashable {
        /// As the server's `Cache-Control` says.
        case standard
        /// No: asks the server.
        case reload
        /// No, and the answer is not stored.
        case none
    }
}

extension APICall {
    /// The query with the page, as the conventions of its API have it.
    @_spi(Host) public func query(_ paging: APIConventions.Paging) -> [HTTPFields.Field] {
        guard let page else { return query }
        var fields: [HTTPFields.Field] = []
        if let name = paging.cursorParameter {
            fields += cursor.map { [HTTPFields.Field(name: name, value: $0)] } ?? []
        } else {
            let number = page.subtractingClamped(1).addingClamped(paging.firstPage)
            fields.append(HTTPFields.Field(name: paging.pageParameter, value: "\(number)"))
        }
        if let name = paging.sizeParameter, let pageSize {
            fields.append(HTTPFields.Field(name: name, value: "\(pageSize)"))
        }
        return fields + query
    }

    /// True if the request may be retried: by default idempotent requests as they are, others with an
    /// idempotency key; DELETE has a key too, as a repeated one would otherwise get a 404.
    @_spi(Host) public var effectiveRepetition: Repetition {
        repetition ?? (method.isIdempotent && method != .delete ? .safe : .withKey)
    }
}

/// The body of an API request.
public enum APIBody: Sendable {
    case none
    /// A value, as JSON.
    case json(any Encodable & Sendable)
    /// Names and values, as `application/x-www-form-urlencoded`.
    case form([(String, String)])
    /// The file at a path, streamed.
    case file(String, contentType: String)
}

/// True if a request carries the token of the signed-in user.
public enum APIAccess: Sendable, Hashable {
    /// Never.
    case anonymous
    /// If a user is signed in.
    case optional
    /// Always: fails with code `notAuthenticated` if no user is signed in, without a request.
    case required
    /// With these tokens, which are not renewed.
    case explicit(AccessTokens)
}

/// The answer of an operation whose answer does not matter; accepts any body.
public struct NoAnswer: Decodable, Sendable, Hashable {
    public init() {}

    /// Decodes nothing: the answer is ignored.
    public init(from decoder: any Decoder) throws {}
}
