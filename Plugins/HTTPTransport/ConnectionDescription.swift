import AtriumKit
internal import CCurl

extension HTTPConnection {
    /// The connection of a transfer whose response has begun.
    init(of easy: UnsafeMutableRawPointer) {
        let version =
            switch ccurl_number(easy, CURLINFO_HTTP_VERSION) {
            case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
            case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
            case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
            case let other: "HTTP (version \(other) of libcurl)"
            }
        let host = ccurl_text(easy, CURLINFO_PRIMARY_IP).map { String(cString: $0) } ?? ""
        let address = host.contains(":") ? "[\(host)]" : host
        self.init(
            version: version, address: "\(address):\(ccurl_number(easy, CURLINFO_PRIMARY_PORT))",
            tlsVersion: ccurl_tls_version(easy).map { String(cString: $0) },
            certificate: ccurl_certificate(easy).map { Certificate(UnsafePointer($0)) })
    }
}

extension HTTPConnection.Certificate {
    /// Reads libcurl's description of a certificate, one line per field: `Subject:CN = localhost`.
    fileprivate init(_ first: UnsafePointer<curl_slist>) {
        var values: [String: String] = [:]
        var next: UnsafePointer<curl_slist>? = first
        while let line = next?.pointee {
            let text = line.data.map { String(cString: $0) } ?? ""
            let parts = text.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
            next = UnsafePointer(line.next)
        }
        self.init(
            subject: values["Subject"] ?? "", issuer: values["Issuer"] ?? "",
            validFrom: values["Start date"].flatMap(Self.time),
            validUntil: values["Expire date"].flatMap(Self.time))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses a time in OpenSSL's format: `Nov  6 08:49:37 2027 GMT`.
    static func time(_ text: String) -> Timestamp? {
        let parts = text.split(separator: " ")
        guard parts.count == 5, parts[4] == "GMT", let month = months.firstIndex(of: String(parts[0])) else {
            return nil
        }
        let pad = { (text: Substring) in String(repeating: "0", count: max(0, 2 - text.count)) + text }
        return Timestamp(rfc3339: "\(parts[3])-\(pad("\(month + 1)"))-\(pad(parts[1]))T\(parts[2])Z")
    }
}
