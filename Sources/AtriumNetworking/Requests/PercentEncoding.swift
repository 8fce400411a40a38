/// Writes text as URLs and forms carry it.
enum PercentEncoding {
    /// A part of a path or a query: all but the unreserved characters of RFC 3986 (2.3) is encoded.
    static func component(_ text: String) -> String {
        guard !text.utf8.allSatisfy(isUnreserved) else { return text }
        return String(decoding: text.utf8.flatMap { isUnreserved($0) ? [$0] : encoded($0) }, as: UTF8.self)
    }

    /// Names and values as `application/x-www-form-urlencoded`: as in a URL, with `+` for a space.
    static func form(_ pairs: [(String, String)]) -> [UInt8] {
        let parts = pairs.map { "\(formComponent($0))=\(formComponent($1))" }
        return Array(parts.joined(separator: "&").utf8)
    }

    private static func formComponent(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false)
            .map { component(String($0)) }
            .joined(separator: "+")
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    private static func encoded(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
