package import AtriumKit
package import AtriumManifest

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
    /// The time limit for one attempt.
    package var attemptLimit = Duration.seconds(15)
    /// The time limit for the transfer of a file.
    package var transferLimit = Duration.seconds(600)
    /// The maximum size of a response, in bytes.
    package var answerLimit = 16 * 1024 * 1024
    /// The certificate authorities that requests trust; nil for the system's.
    package var tls: TLSSettings?
    /// The size of the cache, in bytes; 0 caches nothing.
    package var cacheLimit = 8 * 1024 * 1024

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

    init(_ conventions: APIConventions) {
        let usual = HTTPRequest(.get, "").credentialFields
        self.conventions = conventions
        header = conventions.authorization.header
        prefix = conventions.authorization.scheme.map { "\($0) " } ?? ""
        idempotencyHeader = conventions.idempotencyHeader
        let others = [header, idempotencyHeader ?? usual[0]].filter { !usual.contains($0) }
        credentialFields = others.isEmpty ? nil : usual + others
        decodesAsUsual = conventions.paging == APIConventions().paging
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
        "revokeMember": \.revokeMember, "scheme": \.scheme,
    ]
    /// The members of `paging`.
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
        if let header = settings.idempotencyHeader { result.idempotencyHeader = header }
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
