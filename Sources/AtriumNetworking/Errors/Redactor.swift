@_spi(Host) internal import AtriumKit
internal import FoundationEssentials
internal import Glibc

/// Removes secrets from external texts, such as a server's sentence or a transport's message.
///
/// A text is cut at 64 KiB.
struct Redactor: Sendable {
    private let secrets: [String]
    private let finder: SecretFinder

    init(_ secrets: [String]) {
        self.secrets = Set(secrets).union(Self.proxySecrets).filter { !$0.isEmpty }
        finder = SecretFinder(self.secrets)
    }

    private static let longest = 64 * 1024

    func callAsFunction(_ text: String) -> String {
        guard text.utf8.count > Self.longest else { return finder.hiding(text) }
        return finder.hiding(String(decoding: text.utf8.prefix(Self.longest), as: UTF8.self) + "…")
    }

    /// The passwords in the URLs of proxies, which libcurl repeats in errors.
    static var proxySecrets: [String] {
        let names: [String] = ["http_proxy", "https_proxy", "all_proxy"]
        return (names + names.map { $0.uppercased() }).flatMap { (name: String) -> [String] in
            guard let url = getenv(name).map({ String(cString: $0) }), let at = url.lastIndex(of: "@") else {
                return []
            }
            let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
            guard start < at else { return [] }
            let user = url[start..<at]
            let secret = String(user.firstIndex(of: ":").map { user[user.index(after: $0)...] } ?? user)
            return [secret]
        }
    }

    func callAsFunction(_ text: String?) -> String? {
        text.map { self($0) }
    }

    /// JSON with the secrets removed from its texts.
    func callAsFunction(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(self(text))
        case .array(let items): .array(items.map { self($0) })
        case .object(let object): .object(self(object))
        default: value
        }
    }

    func callAsFunction(_ object: JSONObject) -> JSONObject {
        object.members.reduce(into: [:]) {
            $0[self($1.key)] = SecretName.matches($1.key) ? "(hidden)" : self($1.value)
        }
    }

    /// The part of an error answer that a module may see.
    func answer(_ response: HTTPResponse, names: APIConventions.Authorization) -> APIError.Answer {
        var fields = HTTPFields()
        for field in response.fields.fields { fields.append(field.name, self(field.shownValue)) }
        let redact = Redactor(secrets + SecretMembers.values(in: response.body, names: names))
        // Redact before cutting: a secret cut at the end would leave its start visible.
        let text = redact(String(decoding: response.body.prefix(2 * Self.limit), as: UTF8.self))
        return APIError.Answer(
            fields: fields, body: String(decoding: text.utf8.prefix(Self.limit), as: UTF8.self))
    }

    /// In bytes.
    private static let limit = 16 * 1024
}

/// An external error and its causes, without secrets.
struct RedactedError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?
    let cause: (any Error)?
    let category: ErrorCategory

    init(_ error: any ExplainedError, _ redact: Redactor, depth: Int = 8) {
        code = error.code
        message = redact(error.message)
        hint = redact(error.hint)
        category = error.category
        // Limited, as an error may be its own cause.
        cause = (error.cause as? any ExplainedError).flatMap { inner in
            depth > 1 ? RedactedError(inner, redact, depth: depth - 1) : nil
        }
    }
}

extension ProblemDetails {
    func redacted(_ redact: Redactor) -> ProblemDetails {
        ProblemDetails(
            type: redact(type), title: redact(title), status: status, detail: redact(detail),
            instance: redact(instance),
            errors: errors.map { Field(field: redact($0.field), line: $0.line, detail: redact($0.detail)) },
            extensions: redact(extensions))
    }
}

extension ResponseErrorHandler {
    func redacted(_ redact: Redactor) -> ResponseErrorHandler {
        ResponseErrorHandler(errorMsg: redact(errorMsg), errorCode: errorCode, statusCode: statusCode)
    }
}

extension TransportError {
    func redacted(_ redact: Redactor) -> TransportError {
        TransportError(code, redact(message), hint: redact(hint), neverSent: neverSent)
    }
}

/// Finds secrets in the JSON body of a call.
enum SecretMembers {
    /// The texts under secret names, at any depth.
    static func values(in bytes: [UInt8], names: APIConventions.Authorization) -> [String] {
        guard let json = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else { return [] }
        return values(in: json) { name, _ in SecretName.matches(name) || names.isSecret(name) }
    }

    /// The texts of the members that are secret by name and value, at any depth.
    static func values(in value: JSONValue, _ isSecret: (_ name: String, _ text: String) -> Bool) -> [String]
    {
        switch value {
        case .array(let items): items.flatMap { values(in: $0, isSecret) }
        case .object(let object):
            object.members.flatMap { member in
                if let text = member.value.stringValue, isSecret(member.key, text) { return [text] }
                return values(in: member.value, isSecret)
            }
        default: []
        }
    }
}
