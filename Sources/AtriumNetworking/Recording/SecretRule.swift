@_spi(Host) internal import AtriumKit
internal import Synchronization

/// Decides by their names which values of requests and answers are secrets: members of JSON with all below them,
/// fields, items of forms and of the queries of URLs, wherever these are.
final class SecretRule: Sendable {
    private let authorization: APIConventions.Authorization
    private let credentialFields: [String]
    private let idempotencyField: String?
    /// The decisions so far, by name.
    private let meanings = Mutex<[String: SecretField]>([:])

    /// The rule for an API, or for one that is not known.
    init(_ configuration: APIConfiguration?) {
        authorization = configuration?.conventions.authorization ?? APIConventions().authorization
        let usual = HTTPRequest(.get, "").credentialFields
        idempotencyField = (configuration?.conventions ?? APIConventions()).idempotencyHeader?.lowercased()
        credentialFields = (configuration?.wire.credentialFields ?? usual).map { $0.lowercased() }
    }

    private func meaning(of name: String) -> SecretField {
        meanings.withLock { known in
            if let meaning = known[name] { return meaning }
            // The keys of some objects are data.
            if known.count >= 1_000 { known = [:] }
            let meaning = decide(name)
            known[name] = meaning
            return meaning
        }
    }

    private func decide(_ name: String) -> SecretField {
        if authorization.isSecret(name) { return .secret(1) }
        let tokens = [authorization.accessTokenMember, authorization.refreshTokenMember]
        if tokens.contains(where: { $0 == name || $0.hasSuffix(".\(name)") }) { return .secret(6) }
        return SecretField(name)
    }

    /// True for the value of a member, a field of a form, or an item of a query.
    func isSecret(_ name: String, _ value: String) -> Bool {
        guard case .secret(let shortest) = meaning(of: name) else { return false }
        return !value.isEmpty && value.utf8.count >= shortest
    }

    func isSecret(_ field: HTTPFields.Field) -> Bool {
        credentialFields.contains(field.name.lowercased()) || field.shownValue != field.value
            || isSecret(field.name, field.value)
    }

    /// True for the idempotency key of a request, which is useless for any other request.
    func isIdempotencyKey(_ field: HTTPFields.Field) -> Bool { field.name.lowercased() == idempotencyField }

    /// The name that counts for a member: its own, or that of the secret that it is part of.
    func name(of member: String, under outer: String) -> String {
        switch meaning(of: member) {
        case .secret: member
        case .about: ""
        case .other: outer
        }
    }
}
