/// A string in modules.json that says how an API differs from the reference server's.
struct APISetting {
    let key: String
    let format: TextFormat
    let mayBeNull: Bool

    private init(_ key: String, _ format: TextFormat, mayBeNull: Bool = false) {
        (self.key, self.format, self.mayBeNull) = (key, format, mayBeNull)
    }

    static let authorization = [
        APISetting("tokenPath", .apiPath), APISetting("refreshPath", .apiPath, mayBeNull: true),
        APISetting("revokePath", .apiPath, mayBeNull: true), APISetting("body", .bodyKind),
        APISetting("grant", .httpName, mayBeNull: true), APISetting("usernameMember", .memberPath),
        APISetting("passwordMember", .memberPath), APISetting("refreshMember", .memberPath),
        APISetting("revokeMember", .memberPath, mayBeNull: true),
        APISetting("accessTokenMember", .memberPath), APISetting("refreshTokenMember", .memberPath),
        APISetting("expiresInMember", .memberPath), APISetting("refreshExpiresInMember", .memberPath),
        APISetting("header", .headerField), APISetting("scheme", .httpName, mayBeNull: true),
        APISetting("clientID", .headerValue), APISetting("clientSecret", .headerValue),
    ]

    static let paging = [
        APISetting("pageParameter", .httpName), APISetting("cursorParameter", .httpName, mayBeNull: true),
        APISetting("sizeParameter", .httpName, mayBeNull: true),
        APISetting("rowsMember", .memberPath, mayBeNull: true),
        APISetting("totalMember", .memberPath, mayBeNull: true),
        APISetting("nextMember", .memberPath, mayBeNull: true),
    ]

    /// The members of the API itself.
    static let general = [
        APISetting("idempotencyHeader", .keyField, mayBeNull: true),
        APISetting("prefix", .apiPath, mayBeNull: true),
        APISetting("envelopeMember", .memberPath, mayBeNull: true), APISetting("times", .timeForm),
        APISetting("updateMethod", .updateMethod),
    ]
}

extension TextFormat {
    static let apiName = TextFormat(
        name: "name of an API",
        allowed: "a lowercase letter, then lowercase letters, digits and '-', at most 32",
        example: "billing"
    ) { text in
        // It becomes part of a file name.
        text.utf8.count <= 32 && text.utf8.first?.isLowercase == true
            && text.utf8.allSatisfy { $0.isLowercase || $0.isDigit || $0 == UInt8(ascii: "-") }
    }

    fileprivate static let apiPath = TextFormat(
        name: "path of an endpoint",
        allowed: "letters, digits, '.', '_', '~', '-' and '/', without a server and a query",
        example: "api/token/"
    ) { text in
        !text.isEmpty && text.utf8.allSatisfy { $0.isWordCharacter || ".~-/".utf8.contains($0) }
    }

    static let memberPath = TextFormat(
        name: "path of a member",
        allowed: "names of letters, digits, '_' and '-', with single '.' between them", example: "data.token"
    ) { text in
        text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { isName($0) }
    }

    fileprivate static let httpName = TextFormat(
        name: "name in HTTP", allowed: "letters, digits, '_' and '-'", example: "Idempotency-Key",
        accepts: { isName($0.utf8[...]) })

    fileprivate static let headerField = TextFormat(
        name: "header field", allowed: "letters, digits, '_' and '-', and no field that HTTP itself uses",
        example: "X-Token", accepts: { isName($0.utf8[...]) && !fieldsOfHTTP.contains($0.lowercased()) })

    static let keyField = TextFormat(
        name: "header field", allowed: "letters, digits, '_' and '-', and no field that HTTP itself uses",
        example: "Idempotency-Key",
        accepts: { headerField.accepts($0) && $0.lowercased() != "authorization" })

    static let headerValue = TextFormat(
        name: "value", allowed: "printable ASCII, or @env:NAME for a variable of the environment",
        example: "@env:API_KEY",
        accepts: { !$0.isEmpty && $0.utf8.allSatisfy { (32..<127).contains($0) } && $0 != "@env:" })

    /// The fields that the host or libcurl sets; another value would change the request.
    private static let fieldsOfHTTP: Set = [
        "accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type",
        "cookie",
        "expect", "host", "if-match", "if-none-match", "keep-alive", "proxy-authorization", "range", "te",
        "trailer",
        "transfer-encoding", "upgrade", "user-agent",
    ]

    fileprivate static let bodyKind = TextFormat(
        name: "", allowed: "'form' or 'json'", accepts: { ["form", "json"].contains($0) })

    fileprivate static let timeForm = TextFormat(
        name: "", allowed: "'rfc3339', 'utc', 'seconds' or 'milliseconds'",
        accepts: { ["rfc3339", "utc", "seconds", "milliseconds"].contains($0) })

    fileprivate static let updateMethod = TextFormat(
        name: "", allowed: "'PATCH' or 'PUT'", accepts: { ["PATCH", "PUT"].contains($0) })

    private static func isName(_ text: Substring.UTF8View) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: "-") }
    }
}
