/// A problem as a server describes it in a body of type `application/problem+json` (RFC 9457).
public struct ProblemDetails: Sendable, Hashable, Decodable {
    /// The kind of problem, often a URL; `about:blank` if the status is enough.
    public let type: String
    /// The kind in words.
    public let title: String?
    /// The HTTP status as the body states it; nil if it does not.
    public let status: Int?
    /// This occurrence in words.
    public let detail: String?
    /// An identifier of this occurrence.
    public let instance: String?
    /// The fields at fault.
    public let errors: [Field]
    /// The other members, which only the server and its clients know (RFC 9457, 3.2).
    public let extensions: JSONObject

    /// Creates a problem without further members.
    public init(
        type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil,
        instance: String? = nil, errors: [Field] = []
    ) {
        self.init(
            type: type, title: title, status: status, detail: detail, instance: instance, errors: errors,
            extensions: [:])
    }

    /// Creates a problem; `extensions` are the members that RFC 9457 does not define.
    public init(
        type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil,
        instance: String? = nil, errors: [Field] = [], extensions: JSONObject
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.errors = errors
        self.extensions = extensions
    }

    /// Reads a body; members of another type count as absent (RFC 9457, 3.1).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = (try? container.decode(String.self, forKey: .type)) ?? "about:blank"
        title = try? container.decode(String.self, forKey: .title)
        status = try? container.decode(Int.self, forKey: .status)
        detail = try? container.decode(String.self, forKey: .detail)
        instance = try? container.decode(String.self, forKey: .instance)
        errors = (try? container.decode([Field].self, forKey: .errors)) ?? []
        var others = JSONObject()
        if case .object(let object)? = try? JSONValue(from: decoder) {
            for member in object.members where CodingKeys(rawValue: member.key) == nil {
                others[member.key] = member.value
            }
        }
        extensions = others
    }

    private enum CodingKeys: String, CodingKey {
        case type, title, status, detail, instance, errors
    }

    /// The last part of ``type``: `not-found` of `/problems/not-found`.
    public var name: String {
        type.split(separator: "/").last.map(String.init) ?? type
    }

    /// The problem with one field of the request.
    public struct Field: Sendable, Hashable, Decodable {
        /// The field; nil for a line or the whole.
        public let field: String?
        /// The line of the request's body, from 1.
        public let line: Int?
        /// The problem, as a sentence.
        public let detail: String

        public init(field: String? = nil, line: Int? = nil, detail: String) {
            self.field = field
            self.line = line
            self.detail = detail
        }
    }
}

/// The error that a server puts into a body, also under status 200: a code that is not 0, and a sentence.
public struct ResponseErrorHandler: ExplainedError, Decodable, Hashable {
    /// The server's sentence.
    public let errorMsg: String
    /// The server's number; 0 is no error.
    public let errorCode: Int
    /// The HTTP status of the answer; nil until it is known.
    public var statusCode: Int?

    public init(errorMsg: String, errorCode: Int, statusCode: Int? = nil) {
        self.errorMsg = errorMsg
        self.errorCode = errorCode
        self.statusCode = statusCode
    }

    /// Always `serverError`; the server's number is ``errorCode``.
    public var code: ErrorCode { .serverError }
    /// The same as ``errorMsg``.
    public var message: String { errorMsg }
}
