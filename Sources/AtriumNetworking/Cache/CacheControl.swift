internal import AtriumKit

/// What a server says about storing its answer (RFC 9111, 5.2.2), as far as it concerns a private client.
struct CacheControl: Hashable, Sendable {
    /// How long the answer is fresh, in seconds from when the server made it; nil where it does not say.
    private(set) var maxAge: Int?
    /// Whether the answer must not be stored.
    private(set) var isNoStore = false
    /// Whether the answer must not be used again without asking the server.
    private(set) var isNoCache = false

    init(_ fields: HTTPFields) {
        guard let value = fields["Cache-Control"] else { return }
        // By bytes: this is asked of every answer, and characters cost microseconds.
        for directive in value.utf8.split(separator: UInt8(ascii: ",")) { read(directive) }
    }

    // `private` and `public` mean the same to a client of one person. `must-revalidate` forbids using what
    // is no longer fresh, which is not done anyway.
    private mutating func read(_ directive: Substring.UTF8View) {
        let parts = directive.split(separator: UInt8(ascii: "="), maxSplits: 1)
        switch parts.first.map({ Self.word($0).lowercased() }) {
        case "no-store": isNoStore = true
        case "no-cache": isNoCache = true
        case "max-age": maxAge = seconds(parts)
        default: break
        }
    }

    /// A number that can't be read makes the answer stale (RFC 9111, 4.2.1); one too large counts as 2^31
    /// (1.2.2).
    private func seconds(_ parts: [Substring.UTF8View]) -> Int {
        let text = parts.count == 2 ? Self.word(parts[1]) : ""
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return 0 }
        return min(Int(text) ?? Int.max, 1 << 31)
    }

    /// Text without the spaces, tabs and quotes around it.
    private static func word(_ bytes: Substring.UTF8View) -> String {
        let around: [UInt8] = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\"")]
        return String(decoding: bytes.filter { !around.contains($0) }, as: UTF8.self)
    }
}
