@_spi(Host) internal import AtriumKit
internal import FoundationEssentials

/// Removes secrets from external texts, such as a server's sentence or a transport's message.
struct Redactor: Sendable {
    private let secrets: [String]

    init(_ secrets: [String]) {
        // The longest first: one secret may be part of another.
        self.secrets = secrets.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
    }

    func callAsFunction(_ text: String) -> String {
        secrets.reduce(text) { $0.replacing($1, with: "(hidden)") }
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
        let plain = secrets + SecretMembers.values(in: response.body, names: names)
        // A quote in a password is escaped in a JSON body.
        let escaped = plain.map { String(JSONValue.string($0).serialized.dropFirst().dropLast()) }
        let redact = Redactor(plain + escaped)
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
        (try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))).map { secrets(in: $0, names) } ?? []
    }

    private static func secrets(in value: JSONValue, _ names: APIConventions.Authorization) -> [String] {
        switch value {
        case .array(let items): items.flatMap { secrets(in: $0, names) }
        case .object(let object):
            object.members.flatMap { member in
                let isSecret = SecretName.matches(member.key) || names.isSecret(member.key)
                let text = isSecret ? member.value.stringValue : nil
                return text.map { [$0] } ?? secrets(in: member.value, names)
            }
        default: []
        }
    }
}
