import AtriumKit
internal import CCurl
import Glibc

extension TransportError {
    /// Translates an error of libcurl; `wasSent` is true if part of the request may have reached the server.
    init(_ failure: CurlFailure, _ request: HTTPRequest, wasSent: Bool) {
        let reason = failure.sentence
        switch failure.code {
        case _ where failure.proxyStatus >= 300 && !wasSent:
            self = .proxyRefused(request, failure.proxyStatus)
        case CURLE_COULDNT_RESOLVE_HOST: self = .unknownHost(request)
        case CURLE_COULDNT_RESOLVE_PROXY: self = .unknownProxy(request, reason)
        case CURLE_COULDNT_CONNECT where Self.isOfProxy(reason, request):
            self = .unknownProxy(request, reason)
        case CURLE_COULDNT_CONNECT: self = .unreachable(request)
        case CURLE_OPERATION_TIMEDOUT: self = .notConnected(request)
        case CURLE_URL_MALFORMAT where !wasSent, CURLE_UNSUPPORTED_PROTOCOL where !wasSent:
            self = .badURL(request)
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM: self = .badTLSFile(request, reason)
        case CURLE_SSL_CONNECT_ERROR where Self.lostWords.contains { reason.contains($0) }:
            self = .connectionLost(request, wasSent: false)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER:
            self = .tls(reason, request)
        case _ where reason.contains("alert"): self = .tls(reason, request)
        case _ where reason.contains("chunk") || reason.contains("hexadecimal"):
            self = .unreadable(request, reason)
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2,
            CURLE_HTTP2_STREAM, CURLE_SEND_FAIL_REWIND, CURLE_ABORTED_BY_CALLBACK:
            self = .connectionLost(request, wasSent: wasSent)
        default: self = .unreadable(request, reason)
        }
    }

    /// Words in errors about a connection that ends during the handshake, as when a server restarts.
    private static let lostWords = ["reset by peer", "SSL_ERROR_SYSCALL", "unexpected eof", "Broken pipe"]
    private static let checkNetwork = "Check \"api\" in modules.json, and the network."
    private static let checkProxy = "Check http_proxy, https_proxy and no_proxy in the environment."
    private static let checkServer = "Check that \"url\" of \"api\" in modules.json is the server's."

    /// True if libcurl tried to connect to another host than the server: the proxy of the environment.
    private static func isOfProxy(_ reason: String, _ request: HTTPRequest) -> Bool {
        let host = request.host.filter { $0 != "[" && $0 != "]" }
        let variables = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return reason.contains("Failed to connect to ") && !reason.contains("connect to \(host) ")
            && variables.contains { getenv($0).map { $0.pointee != 0 } ?? false }
    }

    // MARK: - No response

    static func unreachable(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .serverUnreachable, "\(request.shown) failed: nobody listens at \(request.server).",
            hint: request.isOnThisMachine ? "Start the server, then try again." : checkNetwork,
            neverSent: true)
    }

    static func unknownHost(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .serverUnreachable, "\(request.shown) failed: there is no host '\(request.host)'.",
            hint: checkNetwork, neverSent: true)
    }

    static func unknownProxy(_ request: HTTPRequest, _ reason: String) -> TransportError {
        TransportError(
            .serverUnreachable, "\(request.shown) failed: the proxy can't be reached: \(reason).",
            hint: checkProxy, neverSent: true)
    }

    static func proxyRefused(_ request: HTTPRequest, _ status: Int) -> TransportError {
        TransportError(
            .serverUnreachable,
            "\(request.shown) failed: the proxy makes no connection to \(request.server): "
                + "status \(status).",
            hint: checkProxy, neverSent: true)
    }

    static func notConnected(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .serverUnreachable, "\(request.shown) failed: \(request.server) does not accept a connection.",
            hint: checkNetwork, neverSent: true)
    }

    static func timedOut(_ request: HTTPRequest, wasSent: Bool) -> TransportError {
        TransportError(
            .timedOut, "\(request.shown) was not answered within \(request.timeLimit.shown).",
            hint: "Enter the same command again, or set \"timeLimit\" of \"api\" in modules.json.",
            neverSent: !wasSent)
    }

    static func silent(_ request: HTTPRequest, _ limit: Duration) -> TransportError {
        TransportError(
            .timedOut, "\(request.shown) failed: nothing came from \(request.server) for \(limit.shown).",
            hint:
                "Enter the same command again, or set \"idleLimit\" of module HTTPTransport in modules.json."
        )
    }

    static func noLibrary(_ request: HTTPRequest, _ reason: String) -> TransportError {
        TransportError(
            "noLibrary", "\(request.shown) can't be sent: libcurl can't be used: \(reason).",
            hint: "apt install libcurl4", neverSent: true)
    }

    static func outOfMemory(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .requestFailed, "\(request.shown) can't be sent: there is no memory.",
            hint: "Enter the same command again.", neverSent: true)
    }

    // MARK: - Invalid responses

    static func connectionLost(_ request: HTTPRequest, wasSent: Bool = true) -> TransportError {
        TransportError(
            .connectionLost,
            "\(request.shown) failed: \(request.server) closed the connection before its "
                + "response was complete.",
            hint: "Enter the same command again, or see the server's responses with: api", neverSent: !wasSent
        )
    }

    static func tooLarge(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .answerTooLarge,
            "\(request.shown) failed: its response has more than \(request.answerLimit) bytes.",
            hint: "Request less at a time.")
    }

    static func unreadable(_ request: HTTPRequest, _ reason: String) -> TransportError {
        TransportError(
            .invalidResponse,
            "\(request.shown) failed: \(request.server) sent an invalid response: \(reason).",
            hint: checkServer)
    }

    /// A server may have performed a change before it redirects.
    static func redirected(_ request: HTTPRequest, _ how: String, to url: String) -> TransportError {
        let rule =
            request.method.isSafe
            ? "Credentials are not sent there."
            : "A change is not repeated there."
        return TransportError(
            .redirected, "\(request.shown) was redirected \(how): \(url). \(rule)",
            hint: "If the API is there, set \"url\" of \"api\" in modules.json.",
            neverSent: request.method.isSafe)
    }

    static func tooManyRedirects(_ request: HTTPRequest, limit: Int) -> TransportError {
        TransportError(
            .invalidResponse, "\(request.shown) was redirected more than \(limit) times.",
            hint: checkServer)
    }

    // MARK: - Not sent

    static func badURL(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .invalidURL, "'\(request.shownURL)' is not the URL of a server's resource.",
            hint: "Set \"api\": { \"url\": \"http://127.0.0.1:8787\" } in modules.json.", neverSent: true)
    }

    static func badTLSFile(_ request: HTTPRequest, _ reason: String) -> TransportError {
        TransportError(
            "badConfiguration", "\(request.shown) can't be sent: \(reason).",
            hint: "Check \"ca\", \"certificate\" and \"key\" of \"api\" in modules.json: "
                + "PEM files that you can read.",
            neverSent: true)
    }

    static func fileUnreadable(
        _ path: String, _ reason: String, wasSent: Bool = false
    ) -> TransportError {
        TransportError(
            .fileUnreadable, "'\(path)' can't be sent: \(reason).", hint: "Name a file that you can read.",
            neverSent: !wasSent)
    }

    static func fileNotWritten(_ path: String, _ error: CInt) -> TransportError {
        TransportError(
            .fileUnwritable, "'\(path)' can't be written: \(String(cString: strerror(error))).",
            hint: "Make room, or name another file.")
    }

    // MARK: - TLS

    /// The error of a failed TLS handshake, by libcurl's message.
    static func tls(_ sentence: String, _ request: HTTPRequest) -> TransportError {
        if sentence.contains("alert"), sentence.contains("certificate") || sentence.contains("handshake") {
            return TransportError(
                .tlsRefused, "The server at \(request.server) refuses the connection: \(sentence).",
                hint:
                    "If it asks for a certificate, set \"certificate\" and \"key\" of \"api\" in modules.json.",
                neverSent: true)
        }
        if sentence.contains("certificate has expired") {
            return refused(
                request, "it has expired",
                hint: "Ask whoever runs the server to renew it; check the clock of this machine with: date")
        }
        if sentence.contains("certificate is not yet valid") {
            return refused(
                request, "it is not valid yet", hint: "Check the clock of this machine with: date")
        }
        if sentence.contains("subject name") || sentence.contains("not match target host") {
            return refused(
                request, "it is not for '\(request.host)'",
                hint: "Set the server's name as in its certificate, with --api or in \"api\" of modules.json."
            )
        }
        if sentence.contains("certificate") {
            return refused(
                request, "no trusted authority has signed it (\(sentence))",
                hint: "If the server is yours, name the authority's certificate: --ca FILE")
        }
        return TransportError(
            .tlsRefused, "The server at \(request.server) can't make a secure connection: \(sentence).",
            hint: "If it does not use TLS, set an http:// URL with --api or in \"api\" of modules.json.",
            neverSent: true)
    }

    private static func refused(_ request: HTTPRequest, _ why: String, hint: String) -> TransportError {
        TransportError(
            .tlsRefused, "The certificate of the server at \(request.server) is not trusted: \(why).",
            hint: hint, neverSent: true)
    }
}

extension HTTPRequest {
    var shown: String { "\(method) \(shownURL)" }

    var shownURL: String { Self.shown(url) }

    /// The host, and the port if the URL has one.
    var server: String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let authority = rest.prefix { !"/?#".contains($0) }
        return String(
            authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority)
    }

    var host: String {
        let server = server
        guard let colon = server.lastIndex(of: ":"), !server[colon...].contains("]") else { return server }
        return String(server[..<colon])
    }

    var isOnThisMachine: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    /// A URL without secrets: values of the query, user and password.
    static func shown(_ url: String) -> String {
        var rest = url.prefix { $0 != "#" }
        var shown = ""
        if let scheme = rest.firstRange(of: "://") {
            shown += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { !"/?".contains($0) }
            if let sign = authority.lastIndex(of: "@") { rest = rest[rest.index(after: sign)...] }
        }
        let path = rest.prefix { $0 != "?" }
        let names = rest.dropFirst(path.count + 1).split(separator: "&").map {
            $0.prefix { $0 != "=" } + "=…"
        }
        return shown + path + (names.isEmpty ? "" : "?" + names.joined(separator: "&"))
    }
}

extension Duration {
    /// In seconds, to the millisecond.
    var shown: String {
        let seconds = self / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\((seconds * 1000).rounded() / 1000) s"
    }
}
