import AtriumKit
import Foundation

extension HTTPRequest {
    /// Method and URL as messages name them.
    var shown: String { "\(method) \(shownURL)" }

    /// The URL without what may be secret: the values of the query, and names and passwords.
    var shownURL: String {
        guard var parts = URLComponents(string: url) else { return url.prefixBeforeQuery }
        parts.user = nil
        parts.password = nil
        parts.fragment = nil
        let names = parts.queryItems?.map { "\($0.name)=…" } ?? []
        parts.query = nil
        return (parts.string ?? url.prefixBeforeQuery)
            + (names.isEmpty ? "" : "?" + names.joined(separator: "&"))
    }

    /// The name or address of the server.
    var host: String { URL(string: url)?.host() ?? "" }

    /// The server with its port, where the URL has one.
    var server: String {
        let port = URL(string: url)?.port.map { ":\($0)" } ?? ""
        return host + port
    }

    var isOnThisMachine: Bool {
        ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    }
}

extension String {
    fileprivate var prefixBeforeQuery: String { String(prefix { $0 != "?" }) }
}

extension Duration {
    /// In seconds, in as many digits as matter.
    var shown: String {
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\((seconds * 1000).rounded() / 1000) s"
    }
}
