public import AtriumKit
internal import FoundationEssentials

/// A call that a service made of a ``ScriptedAPIClient``.
public struct ScriptedCall: Sendable, CustomStringConvertible {
    public let call: APICall

    init(_ call: APICall) {
        self.call = call
    }

    /// Method and pattern: `GET v1/entities/:id`.
    public var endpoint: String { "\(call.method) \(call.pattern)" }

    /// The method, and the path and query with their values as they are, not percent-encoded:
    /// `GET v1/entities/42?page=1`.
    public var description: String {
        let path = call.pattern.split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.first == ":" ? call.values[String(part.dropFirst())] ?? String(part) : String(part)
        }
        let query = call.query.map { "\($0.name)=\($0.value)" }
        return "\(call.method) \(path.joined(separator: "/"))"
            + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// What is sent, with the keys of JSON sorted: `{"name":"Ada"}`; a form as `name=Ada`, a file as its path;
    /// the empty text for nothing.
    public var body: String {
        switch call.body {
        case .none: return ""
        case .json(let value):
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        case .form(let pairs): return pairs.map { "\($0)=\($1)" }.joined(separator: "&")
        case .file(let path, _): return path
        @unknown default: return ""
        }
    }
}
