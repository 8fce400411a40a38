/// A request as a transport sends it.
public struct HTTPRequest: Sendable, Hashable {
    public var method: HTTPMethod
    /// The whole URL, percent-encoded: `http://127.0.0.1:8787/v1/entities?page=1`.
    public var url: String
    public var fields: HTTPFields
    public var body: HTTPBody
    /// The time limit from the start of the request to the last byte of the answer.
    public var timeLimit: Duration
    /// The largest body of an answer in memory, in bytes.
    public var answerLimit: Int
    /// The TLS files to use; nil for the authorities of the system.
    public var tls: TLSSettings?
    /// True if the answer describes its connection; the transport then makes a new one.
    public var describesConnection = false
    /// The names of the fields that are never sent to another origin, whatever a redirect says.
    public var credentialFields = ["Authorization", "Proxy-Authorization", "Cookie", "Idempotency-Key"]

    /// Creates a request; by default it may take 30 s, and its answer 16 MiB.
    public init(
        _ method: HTTPMethod, _ url: String, fields: HTTPFields = HTTPFields(), body: HTTPBody = .none,
        timeLimit: Duration = .seconds(30), answerLimit: Int = 16 * 1024 * 1024
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeLimit = timeLimit
        self.answerLimit = answerLimit
    }
}

/// The PEM files for a TLS connection.
public struct TLSSettings: Sendable, Hashable {
    /// The certificates of the authorities to trust instead of the system's.
    public var authority: String?
    /// The certificate that identifies this client.
    public var certificate: String?
    /// The private key of ``certificate``; nil if it is in the same file.
    public var key: String?

    /// Creates settings from paths of PEM files; without an authority the system's are trusted.
    public init(authority: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authority = authority
        self.certificate = certificate
        self.key = key
    }
}

/// The body of a request.
public enum HTTPBody: Sendable, Hashable {
    case none
    case bytes([UInt8])
    /// The file at a path, streamed from there.
    case file(String)
}

/// The answer to a request.
public struct HTTPResponse: Sendable, Hashable {
    /// The status code, from 100 to 599.
    public var status: Int
    public var fields: HTTPFields
    /// The body; empty if it went to a file.
    public var body: [UInt8]
    /// The connection it came over; nil unless the request asked for it and the transport knows it.
    public var connection: HTTPConnection?

    /// Creates an answer, as for a test or a module's own transport.
    public init(status: Int, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// The method of an HTTP request (RFC 9110, section 9).
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method as on the wire, in capital letters.
    public let rawValue: String

    /// Creates a further method; `rawValue` is in capital letters.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Reads a resource; safe.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Reads the header fields of a resource only; safe.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Creates a resource or runs an operation; neither safe nor idempotent.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces a resource; idempotent.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes a part of a resource; neither safe nor idempotent.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Removes a resource; idempotent.
    public static let delete = HTTPMethod(rawValue: "DELETE")

    /// True if a request only reads (RFC 9110, section 9.2.1).
    public var isSafe: Bool { self == .get || self == .head }

    /// True if a repetition has no further effect (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    public var description: String { rawValue }
}
