package import AtriumKit

/// The name of an operation in messages and metrics: `GET v1/entities/:id`, without values.
package struct EndpointName: Sendable, Hashable, CustomStringConvertible {
    package let method: HTTPMethod
    package let pattern: String

    package init(_ method: HTTPMethod, _ pattern: String) {
        self.method = method
        self.pattern = pattern
    }

    init(_ call: APICall) {
        self.init(call.method, call.pattern)
    }

    package var description: String { "\(method) \(pattern)" }
}

/// Encodes text for URLs and forms.
enum PercentEncoding {
    /// Encodes everything but the unreserved characters of RFC 3986 (2.3).
    static func component(_ text: String) -> String {
        guard !text.utf8.allSatisfy(unreserved.contains) else { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap {
            unreserved.contains($0) ? [$0] : [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Encodes names and values as `application/x-www-form-urlencoded`.
    static func form(_ pairs: [(String, String)]) -> [UInt8] {
        let parts = pairs.map { name, value in
            [name, value].map { component($0).replacing("%20", with: "+") }.joined(separator: "=")
        }
        return Array(parts.joined(separator: "&").utf8)
    }

    private static let unreserved = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
}
