import AtriumKit
import Foundation
import FoundationNetworking
import Glibc

extension TransportError {
    /// Translates an error of the session: Foundation passes on a few codes of libcurl, and its sentence.
    init(_ error: any Error, _ request: HTTPRequest) {
        let reason = Self.sentence(of: error)
        switch (error as? URLError)?.code {
        case .cannotConnectToHost: self = .unreachable(request)
        case .cannotFindHost: self = .unknownHost(request)
        case .timedOut: self = .timedOut(request)
        case .networkConnectionLost, .badServerResponse: self = .connectionLost(request)
        case .badURL: self = .badURL(request)
        default:
            if let refused = TransportError.tls(reason, request) {
                self = refused
            } else if ["transfer closed", "Recv failure", "Send failure", "reset", "pipe"]
                .contains(where: { reason.contains($0) })
            {
                self = .connectionLost(request)
            } else {
                self = .unreadable(request, reason)
            }
        }
    }

    private static func sentence(of error: any Error) -> String {
        let error = error as NSError
        return error.userInfo[NSLocalizedDescriptionKey] as? String ?? "\(error.domain), code \(error.code)"
    }

    private static let checkNetwork = "Check \"api\" in modules.json, and the network."
    private static let checkServer = "Check that \"url\" of \"api\" in modules.json is the server's."

    // MARK: - No response

    static func unreachable(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .serverUnreachable, "\(request.shown) failed: nobody listens at \(request.server).",
            hint: request.isOnThisMachine ? "Start the server: make server" : checkNetwork, neverSent: true)
    }

    static func unknownHost(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .serverUnreachable, "\(request.shown) failed: there is no host '\(request.host)'.",
            hint: checkNetwork, neverSent: true)
    }

    static func timedOut(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .timedOut, "\(request.shown) was not answered within \(request.timeLimit.shown).",
            hint: "Enter the same command again, or set \"timeLimit\" of \"api\" in modules.json.")
    }

    // MARK: - Invalid responses

    static func connectionLost(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .connectionLost,
            "\(request.shown) failed: \(request.server) closed the connection before its "
                + "response was complete.",
            hint: "Enter the same command again, or see the server's responses with: api")
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

    static func fileNotWritten(_ path: String, _ error: CInt) -> TransportError {
        TransportError(
            .fileUnwritable, "'\(path)' can't be written: \(String(cString: strerror(error))).",
            hint: "Make room, or name another file.")
    }

    // MARK: - TLS

    /// The error of a failed TLS handshake by libcurl's sentence; nil for anything else.
    ///
    /// Foundation has one code for all of them, `unknown`.
    static func tls(_ sentence: String, _ request: HTTPRequest) -> TransportError? {
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
                hint: "If the server is yours, add its certificate authority to the system's: copy it to "
                    + "/usr/local/share/ca-certificates, then run update-ca-certificates.")
        }
        guard sentence.contains("SSL") || sentence.contains("TLS") else { return nil }
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
    /// Method and URL in messages.
    var shown: String { "\(method) \(shownURL)" }

    /// The URL without secrets: values of the query, user and password.
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

    var host: String { URL(string: url)?.host() ?? "" }

    /// The host, and the port if the URL has one.
    var server: String {
        let port = URL(string: url)?.port.map { ":\($0)" } ?? ""
        return host + port
    }

    var isOnThisMachine: Bool { ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host) }
}

extension String {
    fileprivate var prefixBeforeQuery: String { String(prefix { $0 != "?" }) }
}

extension Duration {
    /// In seconds, to the millisecond.
    var shown: String {
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\((seconds * 1000).rounded() / 1000) s"
    }
}
