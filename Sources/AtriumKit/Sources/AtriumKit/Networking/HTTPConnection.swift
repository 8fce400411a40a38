/// What an answer came over.
public struct HTTPConnection: Sendable, Hashable {
    /// The version of HTTP: `HTTP/1.1`, `HTTP/2`.
    public var version: String
    /// The address that was connected to, which is a proxy's if there is one: `127.0.0.1:8787`, `[::1]:8787`.
    public var address: String
    /// The version of TLS, such as `TLSv1.3`; nil without TLS, or if it is not known.
    public var tlsVersion: String?
    /// The certificate of the server; nil without TLS, or if it is not known.
    public var certificate: Certificate?

    public init(
        version: String, address: String, tlsVersion: String? = nil, certificate: Certificate? = nil
    ) {
        self.version = version
        self.address = address
        self.tlsVersion = tlsVersion
        self.certificate = certificate
    }

    /// Whom a certificate names, and when it is valid.
    public struct Certificate: Sendable, Hashable {
        /// Such as `CN = shop.example`.
        public var subject: String
        public var issuer: String
        /// Nil if it can't be read.
        public var validFrom: Timestamp?
        public var validUntil: Timestamp?

        public init(
            subject: String, issuer: String, validFrom: Timestamp? = nil, validUntil: Timestamp? = nil
        ) {
            self.subject = subject
            self.issuer = issuer
            self.validFrom = validFrom
            self.validUntil = validUntil
        }
    }
}
