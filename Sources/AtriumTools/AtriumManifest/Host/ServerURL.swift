import Glibc

/// The base URL of a server's API: `http://127.0.0.1:8787`, or `https://example.com/api`.
public struct ServerURL: Sendable, Hashable, CustomStringConvertible {
    /// Scheme, host and port, in lower case.
    public let origin: String

    /// The path that precedes those of endpoints: `/api`; empty for none, without a slash at its end.
    public let path: String

    /// The URL to which the paths of endpoints are appended, without a slash at its end.
    public var text: String { origin + path }

    /// The same as ``text``.
    public var description: String { text }

    /// Reads a URL: http or https, a host, optionally a port and a path, and nothing else.
    ///
    /// Refuses URLs with which every request would fail.
    public init(_ text: String) throws(ServerURLError) {
        guard let scheme = ["http://", "https://"].first(where: text.lowercased().hasPrefix) else {
            throw ServerURLError("it does not begin with http:// or https://", in: text)
        }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let (host, port) = Self.parts(of: authority)
        var path = rest.dropFirst(authority.count)
        while path.last == "/" { path.removeLast() }
        let problem: String? =
            if rest.contains("@") {
                "it has a name or a password, which belong to 'session sign-in'"
            } else if rest.contains(where: { "?#".contains($0) }) {
                "it has a query or a fragment"
            } else if !Self.isHost(host) {
                "its host is neither a name nor an address"
            } else if !port.isEmpty, !Self.isPort(port) {
                "its port is not a number from 1 to 65535"
            } else if !Self.isPath(path) {
                "its path has a character that belongs there only as % and two digits"
            } else {
                nil
            }
        if let problem { throw ServerURLError(problem, in: text) }
        origin = scheme + authority.lowercased()
        self.path = String(path)
    }

    /// The host, and the port with its colon.
    private static func parts(of authority: Substring) -> (host: Substring, port: Substring) {
        // An address in brackets contains colons itself.
        let end = authority.first == "[" ? authority.firstIndex(of: "]") ?? authority.startIndex : nil
        let colon = authority[(end ?? authority.startIndex)...].firstIndex(of: ":") ?? authority.endIndex
        return (authority[..<colon], authority[colon...])
    }

    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        return digits.utf8.allSatisfy { $0.isDigit } && UInt16(digits).map { $0 > 0 } ?? false
    }

    /// True if a path has only the characters allowed in paths (RFC 3986, section 3.3), others encoded.
    private static func isPath(_ text: Substring) -> Bool {
        let isPlain =
            text.utf8.allSatisfy { $0 > 32 && $0 < 127 } && !text.contains { "\\\"<>^`{|}[]".contains($0) }
        let encoded = text.split(separator: "%", omittingEmptySubsequences: false).dropFirst()
        return isPlain
            && encoded.allSatisfy { $0.prefix(2).count == 2 && $0.prefix(2).allSatisfy(\.isHexDigit) }
    }
}

/// Why a string is not the URL of a server.
public struct ServerURLError: Error, Sendable, Hashable {
    /// The string as messages may show it; see ``shown(_:)``.
    public let url: String

    /// The problem, such as `it has no host`, without a full stop.
    public let reason: String

    /// A valid URL for messages that suggest one.
    public static let example = "http://127.0.0.1:8787"

    fileprivate init(_ reason: String, in text: String) {
        (url, self.reason) = (Self.shown(text), reason)
    }

    /// A string that may be a URL, on one line and without possible secrets: the part before the host, and
    /// whatever follows a question mark or number sign.
    public static func shown(_ text: String) -> String {
        var rest = text[...]
        var shown = ""
        if let scheme = rest.firstRange(of: "://") {
            shown += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
        }
        if let sign = rest.lastIndex(of: "@") {
            shown += "…"
            rest = rest[sign...]
        }
        if let query = rest.firstIndex(where: { "?#".contains($0) }) {
            return Wording.clipped(shown + rest[...query]) + "…"
        }
        return Wording.clipped(shown + rest)
    }
}

extension ServerURL {
    /// True if a string is a name, an IPv4 address, or an IPv6 address in brackets.
    private static func isHost(_ text: Substring) -> Bool {
        if text.first == "[" {
            return text.last == "]" && isAddress(text.dropFirst().dropLast(), AF_INET6)
        }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        // All-numeric labels are an address, never a name.
        let isName = labels.contains { !$0.utf8.allSatisfy(\.isDigit) }
        return isName ? labels.allSatisfy(isLabel) : isAddress(text, AF_INET)
    }

    private static func isAddress(_ text: Substring, _ family: CInt) -> Bool {
        var address = in6_addr()
        return !text.utf8.contains(0) && inet_pton(family, String(text), &address) == 1
    }

    /// True if a string is a label of a name (RFC 1123, section 2.1); underscores are in use, too.
    private static func isLabel(_ text: Substring) -> Bool {
        let isWord = text.utf8.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: "-") }
        return isWord && (1...63).contains(text.utf8.count) && text.first != "-" && text.last != "-"
    }
}
