internal import AtriumKit

/// The field `Content-Type` without parameters, in lower case: `application/json`.
struct MediaType: Hashable {
    let name: String

    init?(_ fields: HTTPFields) {
        guard let value = fields["Content-Type"] else { return nil }
        // By bytes: every response passes here, and characters cost microseconds.
        let bytes = value.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        name = String(Substring(bytes)).lowercased()
    }

    /// RFC 6839, 3.1.
    var isJSON: Bool { name == "application/json" || name.hasSuffix("+json") }
    var isProblem: Bool { name == "application/problem+json" }
}

/// The media types in the field `Accept` of a request (RFC 9110, 12.5.1), without those of error descriptions.
struct AcceptedTypes: CustomStringConvertible {
    /// Without parameters, in lower case: `text/csv`, `text/*`.
    private let names: [String]

    init(_ fields: HTTPFields) {
        names = (fields["Accept"] ?? "*/*").split(separator: ",")
            .map { item in
                let name = item.prefix { $0 != ";" }.filter { !$0.isWhitespace }
                return String(name).lowercased()
            }
            .filter { !$0.isEmpty && $0 != "application/problem+json" }
    }

    func contains(_ type: MediaType) -> Bool {
        names.contains { name in
            name == "*/*" || name == type.name || name.hasSuffix("/*") && type.name.hasPrefix(name.dropLast())
        }
    }

    /// `text/csv or application/json`.
    var description: String { names.joined(separator: " or ") }
}
