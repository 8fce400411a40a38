package import AtriumKit
package import AtriumManifest
internal import FoundationEssentials

/// The server's API and the limits of calls to it.
package struct APIConfiguration: Sendable {
    package var base: ServerURL
    /// The differences of the API from the reference server's.
    package var conventions: APIConventions {
        get { wire.conventions }
        set { wire = WireConventions(newValue) }
    }
    private(set) var wire = WireConventions(APIConventions())
    /// The time before expiry at which an access token is refreshed; at most a quarter of its remaining life.
    package var leeway = Duration.seconds(10)
    package var retry = RetryPolicy()
    /// The time limit for all attempts of a call.
    package var timeLimit = Duration.seconds(30)
    package var attemptLimit = Duration.seconds(15)
    /// The time limit for the transfer of a file.
    package var transferLimit = Duration.seconds(600)
    /// The maximum size of a response, in bytes.
    package var answerLimit = 16 * 1024 * 1024
    /// The certificate authorities that requests trust; nil for the system's.
    package var tls: TLSSettings?
    /// The size of the cache, in bytes; 0 caches nothing.
    package var cacheLimit = 8 * 1024 * 1024
    /// False in a sandbox: only calls with a safe method are sent.
    package var allowsChanges = true

    package init(_ base: ServerURL) {
        self.base = base
    }

    package init(url: String) throws(ServerURLError) {
        base = try ServerURL(url)
    }
}

/// The conventions of an API, prepared for each request.
///
/// A class for the same reason as ``RequestPlan``.
final class WireConventions: Sendable {
    let conventions: APIConventions
    /// The field with the access token, and its prefix: `Bearer `.
    let header: String
    let prefix: String
    let idempotencyHeader: String?
    /// The fields that are sent to no other origin, besides those of each request; nil if there are none.
    let credentialFields: [String]?
    /// True if answers are decoded without the conventions, which is cheaper.
    let decodesAsUsual: Bool
    /// True if paths are those of the endpoints.
    let hasUsualPaths: Bool
    /// Further fields of each request.
    let fields: [HTTPFields.Field]
    /// The members and the field of requests for tokens.
    let tokenMembers: [(String, String)]
    let clientAuthorization: String?
    /// The values that no text may contain.
    let secrets: [String]

    init(_ conventions: APIConventions) {
        let usual = HTTPRequest(.get, "").credentialFields
        self.conventions = conventions
        header = conventions.authorization.header
        prefix = conventions.authorization.scheme.map { "\($0) " } ?? ""
        idempotencyHeader = conventions.idempotencyHeader
        var secrets: [String] = []
        let value = { (text: String) -> String in
            guard let variable = VariableReference(text) else { return text }
            secrets.append(variable.value ?? "")
            return variable.value ?? ""
        }
        fields = conventions.headers.sorted { $0.key < $1.key }.map {
            HTTPFields.Field(name: $0.key, value: value($0.value))
        }
        tokenMembers = conventions.authorization.members.sorted { $0.key < $1.key }.map {
            ($0.key, value($0.value))
        }
        clientAuthorization = conventions.authorization.clientID.map { id in
            let secret = value(conventions.authorization.clientSecret ?? "")
            // RFC 6749, 2.3.1.
            let pair = [id, secret].map { PercentEncoding.component($0).replacing("%20", with: "+") }
            let credentials = Data(pair.joined(separator: ":").utf8).base64EncodedString()
            secrets += [secret, credentials]
            return "Basic \(credentials)"
        }
        // A short one is no key, and would hide other words.
        let keys = fields.filter { field in
            field.value.utf8.count >= 8
                && ["key", "auth", "token", "secret"].contains { field.name.lowercased().contains($0) }
        }
        self.secrets = secrets + keys.map(\.value)
        let others = ([header, idempotencyHeader ?? usual[0]] + fields.map(\.name)).filter {
            !usual.contains($0)
        }
        credentialFields = others.isEmpty ? nil : usual + others
        let standard = APIConventions()
        decodesAsUsual =
            conventions.paging == standard.paging && conventions.envelopeMember == nil
            && conventions.times == standard.times
        hasUsualPaths = conventions.prefix == standard.prefix && !conventions.endsPathsWithSlash
    }

    /// The call with the path that the API has.
    func placed(_ call: APICall) -> APICall {
        let names = conventions.authorization
        guard !hasUsualPaths, ![names.tokenPath, names.refreshPath, names.revokePath].contains(call.pattern)
        else { return call }
        var call = call
        if call.pattern == "v1" || call.pattern.hasPrefix("v1/") {
            let prefix = conventions.prefix ?? ""
            call.pattern = prefix + call.pattern.dropFirst(prefix.isEmpty ? 3 : 2)
        }
        if conventions.endsPathsWithSlash, !call.pattern.hasSuffix("/") { call.pattern += "/" }
        return call
    }
}

extension APIConventions {
    /// The variables that values refer to and the environment does not have, by the members of modules.json.
    package var missingVariables: [(member: String, name: String)] {
        let values =
            headers.map { ("headers.\($0.key)", $0.value) }
            + authorization.members.map { ("authorization.members.\($0.key)", $0.value) }
            + [("authorization.clientSecret", authorization.clientSecret ?? "")]
        return values.compactMap { member, text in
            VariableReference(text).flatMap { $0.value == nil ? (member, $0.name) : nil }
        }.sorted { $0.member < $1.member }
    }
}

extension APIConfiguration {
    /// The configuration of an API, whose conventions a module states and `modules.json` may override.
    package init(
        _ base: ServerURL, _ settings: HostConfiguration.API, conventions: APIConventions = APIConventions()
    ) {
        self.init(base)
        timeLimit = .seconds(settings.timeLimit)
        retry.attempts = settings.attempts
        tls = TLSSettings(
            authority: settings.authority, certificate: settings.certificate, key: settings.key)
        self.conventions = conventions.overridden(by: settings)
    }
}

extension APIConventions {
    private typealias Texts<Root> = [String: any WritableKeyPath<Root, String> & Sendable]
    private typealias OptionalTexts<Root> = [String: any WritableKeyPath<Root, String?> & Sendable]

    /// The members of `authorization` in `modules.json`; those in the second table may be null.
    private static let authorizationTexts: Texts<Authorization> = [
        "tokenPath": \.tokenPath, "usernameMember": \.usernameMember, "passwordMember": \.passwordMember,
        "refreshMember": \.refreshMember, "accessTokenMember": \.accessTokenMember,
        "refreshTokenMember": \.refreshTokenMember, "expiresInMember": \.expiresInMember,
        "refreshExpiresInMember": \.refreshExpiresInMember, "header": \.header,
    ]
    private static let optionalAuthorizationTexts: OptionalTexts<Authorization> = [
        "refreshPath": \.refreshPath, "revokePath": \.revokePath, "grant": \.grant,
        "revokeMember": \.revokeMember, "scheme": \.scheme, "clientID": \.clientID,
        "clientSecret": \.clientSecret,
    ]
    /// The members of the API itself.
    private static let optionalTexts: OptionalTexts<APIConventions> = [
        "idempotencyHeader": \.idempotencyHeader, "prefix": \.prefix, "envelopeMember": \.envelopeMember,
    ]
    private static let pagingTexts: Texts<Paging> = [
        "pageParameter": \.pageParameter, "rowsMember": \.rowsMember,
    ]
    private static let optionalPagingTexts: OptionalTexts<Paging> = [
        "cursorParameter": \.cursorParameter, "sizeParameter": \.sizeParameter,
        "totalMember": \.totalMember, "nextMember": \.nextMember,
    ]

    func overridden(by settings: HostConfiguration.API) -> APIConventions {
        var result = self
        Self.set(settings.authorization, in: &result.authorization) {
            (Self.authorizationTexts[$0], Self.optionalAuthorizationTexts[$0])
        }
        if let body = settings.authorization["body"] ?? nil {
            result.authorization.body = Authorization.Body(rawValue: body) ?? result.authorization.body
        }
        Self.set(settings.paging, in: &result.paging) { (Self.pagingTexts[$0], Self.optionalPagingTexts[$0]) }
        if let first = settings.firstPage { result.paging.firstPage = first }
        Self.set(settings.texts, in: &result) { (nil, Self.optionalTexts[$0]) }
        if let name = settings.texts["times"] ?? nil { result.times = Times(rawValue: name) ?? result.times }
        if let name = settings.texts["updateMethod"] ?? nil {
            result.updateMethod = UpdateMethod(rawValue: name) ?? result.updateMethod
        }
        if let ends = settings.endsPathsWithSlash { result.endsPathsWithSlash = ends }
        result.headers.merge(settings.headers) { $1 }
        result.authorization.members.merge(settings.tokenMembers) { $1 }
        return result
    }

    private static func set<Root>(
        _ values: [String: String?], in root: inout Root,
        _ member: (String) -> (WritableKeyPath<Root, String>?, WritableKeyPath<Root, String?>?)
    ) {
        for (name, value) in values {
            let (text, optional) = member(name)
            // Null names no member, as the rows of an answer that is the list itself.
            if let text { root[keyPath: text] = value ?? "" }
            if let optional { root[keyPath: optional] = value }
        }
    }
}
