internal import AtriumKit
internal import FoundationEssentials

/// A call's body as a transport sends it.
struct RequestBody {
    let body: HTTPBody
    /// The media type; nil where there is no body.
    let contentType: String?

    /// Encodes a body; the keys of JSON are sorted, so that equal values give equal bytes.
    ///
    /// - Throws: ``APIError`` with code `requestFailed` where a value can't be written as JSON.
    init(_ call: APICall) throws {
        switch call.body {
        case .none:
            (body, contentType) = (.none, nil)
        case .json(let value):
            (body, contentType) = (.bytes(try Self.json(value, call)), "application/json")
        case .form(let pairs):
            (body, contentType) = (
                .bytes(PercentEncoding.form(pairs)), "application/x-www-form-urlencoded"
            )
        case .file(let path, let type):
            (body, contentType) = (.file(path), type)
        @unknown default:
            throw APIErrors.unencodable(call)
        }
    }

    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    private static func json(_ value: any Encodable, _ call: APICall) throws -> [UInt8] {
        do { return Array(try encoder.encode(value)) } catch { throw APIErrors.unencodable(call) }
    }
}
