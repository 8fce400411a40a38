import AtriumKit
internal import CCurl

/// A URL as parsed by libcurl, which also sends the request: two parsers could disagree about the server.
struct WebAddress {
    /// The whole URL, without user, password and fragment.
    let text: String
    let scheme: String
    private let host: String
    /// The port, with the scheme's default if the URL has none.
    private let port: String

    /// Parses an http or https URL with a host, possibly relative to `base` (RFC 3986, 5.2); nil for others.
    init?(_ text: String, relativeTo base: WebAddress? = nil) {
        // libcurl takes the path for the host if there is none.
        guard ccurl_load() == nil, !text.utf8.contains(0), !text.isEmpty, !Self.isWithoutHost(text),
            let url = ccurl_url_init()
        else { return nil }
        defer { ccurl_url_cleanup(url) }
        if let base, ccurl_url_set(url, CURLUPART_URL, base.text, 0) != CURLUE_OK { return nil }
        // Servers may send characters that they should have encoded.
        let flags = base == nil ? 0 : UInt32(CURLU_URLENCODE)
        guard ccurl_url_set(url, CURLUPART_URL, text, flags | Self.pathAsIs(base)) == CURLUE_OK else {
            return nil
        }
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT] {
            _ = ccurl_url_set(url, part, nil, 0)
        }
        guard let scheme = Self.part(CURLUPART_SCHEME, of: url), scheme == "http" || scheme == "https",
            let host = Self.part(CURLUPART_HOST, of: url), !host.isEmpty,
            let port = Self.part(CURLUPART_PORT, of: url, UInt32(CURLU_DEFAULT_PORT)),
            let whole = Self.part(CURLUPART_URL, of: url)
        else { return nil }
        (self.text, self.scheme, self.host, self.port) = (whole, scheme, host.lowercased(), port)
    }

    /// True if the text has `:///`.
    private static func isWithoutHost(_ text: String) -> Bool {
        // The number of slashes after a colon.
        var slashes: Int?
        for byte in text.utf8 {
            switch (byte, slashes) {
            case (UInt8(ascii: ":"), _): slashes = 0
            case (UInt8(ascii: "/"), 2?): return true
            case (UInt8(ascii: "/"), let count?): slashes = count + 1
            default: slashes = nil
            }
        }
        return false
    }

    /// A request is sent as written; a redirect's target is normalized.
    private static func pathAsIs(_ base: WebAddress?) -> UInt32 {
        base == nil ? UInt32(CURLU_PATH_AS_IS) : 0
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer, _ flags: UInt32 = 0) -> String? {
        guard let text = ccurl_url_get(url, part, flags) else { return nil }
        defer { ccurl_free(text) }
        return String(cString: text)
    }

    /// RFC 6454, 5.
    func isSameOrigin(as other: WebAddress) -> Bool {
        (scheme, host, port) == (other.scheme, other.host, other.port)
    }

    /// The URL as messages show it, without the values of its query.
    var shown: String { HTTPRequest.shown(text) }
}
