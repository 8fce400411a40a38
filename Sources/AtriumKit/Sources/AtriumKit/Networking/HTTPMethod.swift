/// The method of an HTTP request (RFC 9110, section 9).
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// As it stands on the wire, in capital letters.
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let get = HTTPMethod(rawValue: "GET")
    public static let head = HTTPMethod(rawValue: "HEAD")
    public static let post = HTTPMethod(rawValue: "POST")
    public static let put = HTTPMethod(rawValue: "PUT")
    public static let patch = HTTPMethod(rawValue: "PATCH")
    public static let delete = HTTPMethod(rawValue: "DELETE")

    /// Whether a request only reads (RFC 9110, section 9.2.1).
    public var isSafe: Bool { self == .get || self == .head }

    /// Whether doing it twice has the effect of doing it once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    public var description: String { rawValue }
}
