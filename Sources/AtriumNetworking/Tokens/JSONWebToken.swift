internal import AtriumKit
internal import FoundationEssentials

/// What can be read of a JSON Web Token (RFC 7519) without its key.
///
/// Nothing is verified: that is the server's.
enum JSONWebToken {
    private struct Claims: Decodable {
        let exp: Double?
    }

    /// When the token expires by its claim `exp`; nil where it has none or is no such token.
    static func expiry(of token: String) -> Timestamp? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = base64URL(parts[1]),
            let seconds = try? JSONDecoder().decode(Claims.self, from: payload).exp,
            (0...1e12).contains(seconds)
        else { return nil }
        return Timestamp(microseconds: Int64(seconds * 1_000_000))
    }

    /// Base64 with the alphabet for URLs, and without padding (RFC 7515, 2).
    private static func base64URL(_ text: Substring) -> Data? {
        let standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: String(standard) + padding)
    }
}
