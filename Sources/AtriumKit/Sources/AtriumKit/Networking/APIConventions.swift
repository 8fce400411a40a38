/// The conventions in which server APIs differ: tokens, repeated changes, pages.
///
/// The defaults are those of the reference server: OAuth's password grant (RFC 6749), bearer tokens, and an
/// `Idempotency-Key`. A module states what differs next to its endpoints, and the host's `modules.json` may
/// override each member, see `Docs/apis.md`.
///
/// ```swift
/// extension APIConventions {
///     static let notes = APIConventions {
///         $0.authorization.tokenPath = "api/token/"
///         $0.authorization.body = .json
///         $0.idempotencyHeader = nil
///     }
/// }
/// registry.service((any NoteService).self, live: { LiveNoteService(api: $0.api("notes", .notes)) }, …)
/// ```
public struct APIConventions: Sendable, Hashable {
    /// The endpoints and members for tokens; OAuth's password grant by default.
    public var authorization = Authorization()
    /// The header field by which the server recognizes a repeated change; nil if there is none: a change that
    /// fails is then not sent again, and its error says so.
    public var idempotencyHeader: String? = "Idempotency-Key"
    /// The parameters and members of pages; by default `page` and `size`, `rows` and `total`.
    public var paging = Paging()
    /// The path that replaces `v1` at the start of endpoints; nil for none.
    public var prefix: String? = "v1"
    /// True if the paths of endpoints end with a slash; those for tokens are as they are stated.
    public var endsPathsWithSlash = false
    /// The member of an answer that has the value, unless that is a page; nil if the answer is the value.
    public var envelopeMember: String?
    /// The form of times in bodies.
    public var times = Times.rfc3339
    /// The method that changes a record.
    public var updateMethod = UpdateMethod.patch
    /// Further header fields of each request, such as the key of the API; `@env:NAME` stands for a variable of the
    /// environment, whose value is a secret.
    public var headers: [String: String] = [:]

    /// Creates the reference server's conventions with some changes.
    public init(_ change: (inout APIConventions) -> Void = { _ in }) {
        change(&self)
    }

    /// The forms of a time in JSON.
    public enum Times: String, Sendable, Hashable {
        /// A text with a zone: `2026-11-21T05:01:45Z`.
        case rfc3339
        /// The same, in UTC where it has no zone.
        case utc
        /// A number of seconds since the start of 1970, UTC.
        case seconds
        /// A number of milliseconds since the start of 1970, UTC.
        case milliseconds
    }

    /// The requests that change a record.
    public enum UpdateMethod: String, Sendable, Hashable {
        /// The changed members (RFC 7396).
        case patch = "PATCH"
        /// The whole record, which is read before.
        case put = "PUT"
    }

    /// The source of tokens, and the way requests carry them.
    ///
    /// Paths are relative to the base URL. Members are named by their path in JSON, with `.` between names:
    /// `data.token`; this holds for JSON that is sent too, and a form has the whole text as a name.
    public struct Authorization: Sendable, Hashable {
        /// The endpoint that issues tokens for a name and a password.
        public var tokenPath = "oauth/token"
        /// The endpoint that issues new tokens for a refresh token; nil if tokens can't be renewed: the
        /// sign-in then ends with its access token.
        public var refreshPath: String? = "oauth/token"
        /// The endpoint that revokes tokens; nil if there is none: signing out only forgets them.
        public var revokePath: String? = "oauth/revoke"
        /// The encoding of requests to these endpoints.
        public var body = Body.form
        /// The `grant_type` of a sign-in, sent with `refresh_token` for a refresh; nil for no grants.
        ///
        /// Status 400 or 401 refuses credentials and tokens; with a grant, another error of OAuth than
        /// `invalid_grant` is a failure.
        public var grant: String? = "password"
        /// The member of a sign-in request with the user's name.
        public var usernameMember = "username"
        /// The member of a sign-in request with the password.
        public var passwordMember = "password"
        /// The member of a refresh request with the refresh token.
        public var refreshMember = "refresh_token"
        /// The member of a revocation that has the refresh token, or the access token if there is none; nil
        /// sends no body and the access token in its header.
        public var revokeMember: String? = "token"

        /// Further members of requests for tokens, such as `client_id` and `scope`; `@env:NAME` stands for a
        /// variable of the environment.
        public var members: [String: String] = [:]
        /// The name of this client, for requests for tokens with HTTP Basic (RFC 7617); nil for none.
        public var clientID: String?
        /// The password of this client, or `@env:NAME` for a variable of the environment.
        public var clientSecret: String?

        /// The member of the answer that has the access token.
        public var accessTokenMember = "access_token"
        /// The member of the answer that has the refresh token; without one, the former stays in use.
        public var refreshTokenMember = "refresh_token"
        /// The member of the answer that says how many seconds the access token lasts; without one, the claim
        /// `exp` of a JSON Web Token counts.
        public var expiresInMember = "expires_in"
        /// The member of the answer that says how many seconds the refresh token lasts.
        public var refreshExpiresInMember = "refresh_expires_in"

        /// The header field of requests that has the access token.
        public var header = "Authorization"
        /// The word before the access token; nil for the token alone.
        public var scheme: String? = "Bearer"
        /// The command that signs in, for the hints of errors; nil for none.
        public var signInCommand: String? = "session sign-in --email EMAIL"

        /// The encoding of a request's members.
        public enum Body: String, Sendable, Hashable, CaseIterable {
            /// `application/x-www-form-urlencoded`
            case form
            /// `application/json`
            case json
        }
    }

    /// The form of paged requests, see ``Endpoint/page(_:size:)``, and of their answers, see ``APIPage``.
    public struct Paging: Sendable, Hashable {
        /// The query parameter with the number of the page.
        public var pageParameter = "page"
        /// The query parameter with the cursor of a page, instead of its number; nil if pages have numbers.
        public var cursorParameter: String?
        /// The query parameter with the number of rows on a page; nil if the server decides it.
        public var sizeParameter: String? = "size"
        /// The server's number of the first page.
        public var firstPage = 1
        /// The member with the rows; an empty text if the answer itself is the list.
        public var rowsMember = "rows"
        /// The member with the number of rows on all pages; nil if there is none.
        public var totalMember: String? = "total"
        /// The member with the link to the next page, or its cursor, null on the last one; nil if there is none:
        /// the field `Link` with `rel="next"` (RFC 8288) then counts, if the answer has it.
        public var nextMember: String?
    }
}

extension APIConventions {
    /// The key in a decoder's `userInfo` for the conventions of the API.
    @_spi(Host) public static var key: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "atrium.conventions") else {
            preconditionFailure("Each text is a key.")
        }
        return key
    }

    /// Reads the conventions from a decoder's `userInfo`; the defaults if it has none.
    @_spi(Host) public init(of decoder: any Decoder) {
        self = decoder.userInfo[Self.key] as? APIConventions ?? APIConventions()
    }
}

extension APIConventions.Times {
    /// The key in a coder's `userInfo` for the form of times, if it is another than `rfc3339`.
    @_spi(Host) public static var key: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "atrium.times") else {
            preconditionFailure("Each text is a key.")
        }
        return key
    }

    init(of userInfo: [CodingUserInfoKey: Any]) {
        self = userInfo.isEmpty ? .rfc3339 : userInfo[Self.key] as? Self ?? .rfc3339
    }

    /// Reads a time; nil for a value of another form.
    func moment(_ json: JSONValue) -> Timestamp? {
        switch (self, json) {
        case (.rfc3339, .string(let text)): Timestamp(rfc3339: text)
        case (.utc, .string(let text)): Timestamp(rfc3339: text) ?? Timestamp(rfc3339: text + "Z")
        case (.seconds, .integer(let number)): Self.moment(Double(number), 1_000_000)
        case (.seconds, .number(let number)): Self.moment(number, 1_000_000)
        case (.milliseconds, .integer(let number)): Self.moment(Double(number), 1_000)
        case (.milliseconds, .number(let number)): Self.moment(number, 1_000)
        default: nil
        }
    }

    private static func moment(_ number: Double, _ unit: Double) -> Timestamp? {
        let microseconds = (number * unit).rounded()
        // The years 0 to 9999, which RFC 3339 can write.
        guard (-62_167_219_200e6..<253_402_300_800e6).contains(microseconds) else { return nil }
        return Timestamp(microseconds: Int64(microseconds))
    }

    func json(_ moment: Timestamp) -> JSONValue {
        switch self {
        case .rfc3339, .utc: .string(moment.rfc3339)
        case .seconds: .integer(moment.microseconds / 1_000_000)
        case .milliseconds: .integer(moment.microseconds / 1_000)
        }
    }
}

/// One page of a list, as the conventions of its API name its members.
///
/// ```swift
/// Endpoint<APIPage<NoteAnswer>>(.get, "api/notes/").page(2, size: 20)
/// ```
public struct APIPage<Row: Decodable & Sendable>: Decodable, Sendable {
    /// The rows, in the server's order.
    public let rows: [Row]
    /// The number of rows on all pages; nil if the server does not say.
    public let total: Int?
    /// True if there is another page; nil if the server does not say.
    public let hasNext: Bool?
    /// The cursor of the next page, for ``Endpoint/page(after:size:)``; nil if there is none, or pages have
    /// numbers.
    public let next: String?

    /// Creates a page for a test or a mock; nil if the total or a next page is unknown.
    public init(_ rows: [Row], total: Int? = nil, hasNext: Bool? = nil) {
        (self.rows, self.total, self.hasNext, next) = (rows, total, hasNext, nil)
    }

    /// Creates a page for a test or a mock, with the cursor of the next one; nil on the last one.
    public init(_ rows: [Row], total: Int? = nil, next: String?) {
        (self.rows, self.total, hasNext, self.next) = (rows, total, next != nil, next)
    }

    /// Decodes a page by the conventions in the decoder's `userInfo`; a null or empty next link is no page.
    public init(from decoder: any Decoder) throws {
        let paging = APIConventions(of: decoder).paging
        rows = try MemberPath(paging.rowsMember).decode([Row].self, from: decoder)
        total = try paging.totalMember.flatMap {
            try MemberPath($0).decodeIfPresent(RowCount.self, from: decoder)?.wrappedValue
        }
        let link: JSONValue?
        if let name = paging.nextMember {
            link = try MemberPath(name).decodeIfPresent(JSONValue.self, from: decoder)
        } else {
            let relations = (decoder.userInfo[Self.fieldsKey] as? HTTPFields)?["Link"]?.pageLinks ?? [:]
            link = relations.isEmpty ? nil : relations["next"].map(JSONValue.string) ?? .null
        }
        let isThere = ![nil, .null, .bool(false), .string("")].contains(link)
        let isTold = link != nil || paging.nextMember != nil || paging.cursorParameter != nil
        hasNext = isTold ? isThere : nil
        next = isThere ? paging.cursorParameter.flatMap { link?.cursor(named: $0) } : nil
    }
}

/// An answer that names its members by the conventions, so that it has no ``APIConventions/envelopeMember``.
@_spi(Host) public protocol AnswerWithConventions: Decodable {}

@_spi(Host) extension APIPage: AnswerWithConventions {}

extension APIPage: AnswerWithFields {
    public static var fieldsKey: CodingUserInfoKey { Answered<Row>.fieldsKey }
}

extension String {
    /// The targets of a field `Link` (RFC 8288) by their relation, of those that are about pages.
    fileprivate var pageLinks: [String: String] {
        var (links, rest) = ([String: String](), self[...])
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let target = String(rest[rest.index(after: start)..<end]).trimmed
            let parameters = rest[rest.index(after: end)...]
            // Commas and semicolons in quotes separate nothing.
            var (isQuoted, parts) = (false, [""])
            var index = parameters.startIndex
            while index < parameters.endIndex, isQuoted || parameters[index] != "," {
                let character = parameters[index]
                if character == "\"" { isQuoted.toggle() }
                if character == ";", !isQuoted {
                    parts.append("")
                } else {
                    parts[parts.count - 1].append(character)
                }
                index = parameters.index(after: index)
            }
            rest = parameters[index...]
            for part in parts {
                let words = part.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
                guard words.count == 2, words[0].lowercased() == "rel" else { continue }
                for relation in words[1].filter({ $0 != "\"" }).lowercased().split(separator: " ")
                where ["next", "prev", "previous", "first", "last"].contains(relation) {
                    links[String(relation)] = target
                }
            }
        }
        return links
    }
}

extension JSONValue {
    /// The cursor in a link, which has it in its query; otherwise the whole text, or a number.
    fileprivate func cursor(named name: String) -> String? {
        if case .integer(let number) = self { return "\(number)" }
        guard case .string(let text) = self else { return nil }
        guard let start = text.firstIndex(of: "?") else { return text }
        for pair in text[text.index(after: start)...].prefix(while: { $0 != "#" }).split(separator: "&") {
            let words = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2, String(words[0]).queryDecoded == name else { continue }
            return String(words[1]).queryDecoded
        }
        return text
    }
}

extension String {
    /// The text of a query's name or value.
    fileprivate var queryDecoded: String {
        PercentEncoding.decodeForm(self) ?? self
    }
}

/// The path of a value in JSON: `data.token`.
@_spi(Host) public struct MemberPath: Sendable {
    public let names: [String]

    /// Splits a text such as `data.token` at its dots.
    public init(_ text: String) {
        names = text.split(separator: ".").map(String.init)
    }

    /// Decodes the value at this path; an empty path is the whole document.
    public func decode<Value: Decodable>(_ type: Value.Type, from decoder: any Decoder) throws -> Value {
        guard let last = names.last else { return try Value(from: decoder) }
        return try container(decoder).decode(type, forKey: JSONKey(stringValue: last))
    }

    /// Decodes the value at this path; nil if it is absent or null.
    public func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, from decoder: any Decoder
    ) throws -> Value? {
        guard let last = names.last else { return nil }
        do {
            return try container(decoder).decodeIfPresent(type, forKey: JSONKey(stringValue: last))
        } catch DecodingError.keyNotFound(_, _) {
            return nil
        } catch DecodingError.typeMismatch(_, let context) where context.codingPath.count < names.count {
            // The enclosing value is not an object, as in an answer that is a plain list.
            return nil
        }
    }

    private func container(_ decoder: any Decoder) throws -> KeyedDecodingContainer<JSONKey> {
        var container = try decoder.container(keyedBy: JSONKey.self)
        for name in names.dropLast() {
            container = try container.nestedContainer(
                keyedBy: JSONKey.self, forKey: JSONKey(stringValue: name))
        }
        return container
    }
}
