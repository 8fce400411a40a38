internal import AtriumKit

/// What the field `Content-Type` says, without parameters, in lower case: `application/json`.
struct MediaType: Hashable {
    let name: String

    init?(_ fields: HTTPFields) {
        guard let value = fields["Content-Type"] else { return nil }
        // By bytes: this is asked of every answer, and characters cost microseconds.
        let bytes = value.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        name = String(Substring(bytes)).lowercased()
    }

    /// Whether a body of it is JSON (RFC 6839, 3.1).
    var isJSON: Bool { name == "application/json" || name.hasSuffix("+json") }
    var isProblem: Bool { name == "application/problem+json" }
}
