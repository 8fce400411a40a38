internal import AtriumKit

/// The types of answers that a request asks for in its field `Accept` (RFC 9110, 12.5.1), but those that only
/// describe what is wrong.
struct AcceptedTypes: CustomStringConvertible {
    /// As they are written, without parameters and in lower case: `text/csv`, `text/*`.
    private let names: [String]

    init(_ fields: HTTPFields) {
        names = (fields["Accept"] ?? "*/*").split(separator: ",")
            .map { item in
                let name = item.prefix { $0 != ";" }.filter { !$0.isWhitespace }
                return String(name).lowercased()
            }
            .filter { !$0.isEmpty && $0 != "application/problem+json" }
    }

    /// Whether an answer of this type is one of those that were asked for.
    func contains(_ type: MediaType) -> Bool {
        names.contains { name in
            name == "*/*" || name == type.name || name.hasSuffix("/*") && type.name.hasPrefix(name.dropLast())
        }
    }

    /// The types for a sentence: `text/csv or application/json`.
    var description: String { names.joined(separator: " or ") }
}
