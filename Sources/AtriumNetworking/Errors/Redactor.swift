@_spi(Host) internal import AtriumKit
internal import FoundationEssentials

/// Removes secrets from texts of others, such as a server's sentence or a transport's message.
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
}

/// An error of others and its causes, without secrets.
struct RedactedError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?
    let cause: (any Error)?
    let category: ErrorCategory

    /// - Parameter depth: The most causes; an error may be its own cause.
    init(_ error: any ExplainedError, _ redact: Redactor, depth: Int = 8) {
        code = error.code
        message = redact(error.message)
        hint = redact(error.hint)
        category = error.category
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
            errors: errors.map { Field(field: redact($0.field), line: $0.line, detail: redact($0.detail)) })
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
    static func values(in bytes: [UInt8]) -> [String] {
        (try? JSONDecoder().decode(Node.self, from: Data(bytes)))?.secrets ?? []
    }

    private struct Node: Decodable {
        let secrets: [String]

        init(from decoder: any Decoder) throws {
            if let object = try? decoder.container(keyedBy: Name.self) {
                secrets = object.allKeys.flatMap { Self.secrets(under: $0, in: object) }
            } else if var list = try? decoder.unkeyedContainer() {
                var found: [String] = []
                while !list.isAtEnd { found += try list.decode(Node.self).secrets }
                secrets = found
            } else {
                secrets = []
            }
        }

        private static func secrets(
            under name: Name, in object: KeyedDecodingContainer<Name>
        ) -> [String] {
            if SecretName.matches(name.stringValue), let text = try? object.decode(String.self, forKey: name)
            {
                return [text]
            }
            return (try? object.decode(Node.self, forKey: name))?.secrets ?? []
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
