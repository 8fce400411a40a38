internal import AtriumKit

/// Where the server's API begins: `http://127.0.0.1:8787`, or `https://example.com/api`.
package struct BaseURL: Sendable, Hashable, CustomStringConvertible {
    /// The URL without a slash at its end.
    package let text: String
    /// Scheme, host and port, for messages.
    package let origin: String
    /// The path behind the origin, without a slash at its end; empty where there is none.
    package let path: String

    package var description: String { text }

    /// Reads a base URL: http or https, a host, perhaps a port and a path, and nothing else.
    ///
    /// - Throws: ``APIError`` with code `invalidURL`.
    package init(_ url: String) throws {
        guard let parts = Self.parts(of: url) else { throw APIError.invalidURL(url) }
        (origin, path) = parts
        text = origin + path
    }

    private static func parts(of url: String) -> (origin: String, path: String)? {
        let schemes = ["http://", "https://"]
        guard let scheme = schemes.first(where: { url.lowercased().hasPrefix($0) }),
            url.utf8.allSatisfy({ $0 > 32 && $0 < 127 }), !url.contains(where: { "?#@\\\"<>".contains($0) })
        else { return nil }
        let rest = url.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        var path = rest.dropFirst(authority.count)
        while path.last == "/" { path.removeLast() }
        guard isAuthority(authority) else { return nil }
        return (scheme + authority.lowercased(), String(path))
    }

    private static func isAuthority(_ text: Substring) -> Bool {
        var rest = text
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]"), text.index(after: text.startIndex) < end
            else { return false }
            rest = text[text.index(after: end)...]
            return rest.isEmpty || (rest.first == ":" && isPort(rest.dropFirst()))
        }
        let host = rest.prefix { $0 != ":" }
        guard !host.isEmpty, !host.contains(where: { "[]%".contains($0) }) else { return false }
        return host.count == rest.count || isPort(rest.dropFirst(host.count + 1))
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.allSatisfy(\.isNumber) && Int(text).map { (1...65_535).contains($0) } ?? false
    }
}
