/// The connection that an answer came over.
public struct HTTPConnection: Sendable, Hashable {
    /// The version of HTTP: `HTTP/1.1`, `HTTP/2`.
    public var version: String
    /// The address that was connected to, a proxy's if there is one: `127.0.0.1:8787`, `[::1]:8787`.
    public var address: String
    /// The version of TLS, such as `TLSv1.3`; nil without TLS, or if unknown.
    public var tlsVersion: String?
    /// The certificate of the server; nil without TLS, or if unknown.
    public var certificate: Certificate?

    public init(
        version: String, address: String, tlsVersion: String? = nil, certificate: Certificate? = nil
    ) {
        self.version = version
        self.address = address
        self.tlsVersion = tlsVersion
        self.certificate = certificate
    }

    /// The names in a certificate, and its validity.
    public struct Certificate: Sendable, Hashable {
        /// The name it was issued to, such as `CN = shop.example`.
        public var subject: String
        /// The name of its issuer, in the same form.
        public var issuer: String
        /// The start of its validity; nil if it can't be read.
        public var validFrom: Timestamp?
        /// The end of its validity; nil if it can't be read.
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
