import AtriumKit
import Foundation
import FoundationNetworking
import Glibc

extension TransportError {
    /// What the session reports, in words.
    ///
    /// Of what libcurl tells, Foundation passes on a few codes, and its sentence.
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
            } else if Self.tells(
                reason, ["transfer closed", "Recv failure", "Send failure", "reset", "pipe"])
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

    private static func tells(_ sentence: String, _ words: [String]) -> Bool {
        words.contains { sentence.contains($0) }
    }

    // MARK: - No answer

    static func unreachable(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .serverUnreachable, "\(request.shown) failed: nobody listens at \(request.server).",
            hint: request.isOnThisMachine
                ? "Start the server: make server" : "Check \"api\" in modules.json, and the network.",
            neverSent: true)
    }

    static func unknownHost(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .serverUnreachable, "\(request.shown) failed: there is no host '\(request.host)'.",
            hint: "Check \"api\" in modules.json, and the network.", neverSent: true)
    }

    static func timedOut(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .timedOut, "\(request.shown) was not answered within \(request.timeLimit.shown).",
            hint: "Enter the same command again, or set \"timeLimit\" of \"api\" in modules.json.")
    }

    // MARK: - Not a whole answer

    static func connectionLost(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .connectionLost,
            "\(request.shown) failed: \(request.server) closed the connection before its "
                + "answer was complete.",
            hint: "Enter the same command again, or see what the server answered with: api")
    }

    static func answerTooLarge(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .answerTooLarge,
            "\(request.shown) was given up: its answer has more than \(request.answerLimit) bytes.",
            hint: "Ask for less at a time.")
    }

    static func noAnswer(_ request: HTTPRequest) -> TransportError {
        TransportError(.invalidResponse, "\(request.shown) failed: the answer has no head.")
    }

    static func unreadable(_ request: HTTPRequest, _ reason: String) -> TransportError {
        TransportError(
            .invalidResponse,
            "\(request.shown) failed: \(request.server) does not answer as HTTP asks: \(reason).",
            hint: "Check that \"url\" of \"api\" in modules.json is the server's.")
    }

    static func tooManyRedirects(_ request: HTTPRequest, limit: Int) -> TransportError {
        TransportError(
            .invalidResponse, "\(request.shown) was redirected more than \(limit) times.",
            hint: "Check that \"url\" of \"api\" in modules.json is the server's.")
    }

    // MARK: - Not sent

    static func badURL(_ request: HTTPRequest) -> TransportError {
        TransportError(
            .invalidURL, "'\(request.shownURL)' is not the URL of a server's resource.",
            hint: "Set \"api\": { \"url\": \"http://127.0.0.1:8787\" } in modules.json.", neverSent: true)
    }

    static func badField(_ request: HTTPRequest, _ name: String) -> TransportError {
        TransportError(
            "invalidField", "\(request.shown) can't be sent: its field '\(name)' would break the message.",
            neverSent: true)
    }

    static func fileNotRead(_ path: String, _ error: CInt) -> TransportError {
        TransportError(
            "fileUnreadable", "'\(path)' can't be sent: \(String(cString: strerror(error))).",
            hint: "Name a file that you can read.", neverSent: true)
    }

    static func fileNotWritten(_ path: String, _ error: CInt) -> TransportError {
        TransportError(
            "fileUnwritable", "'\(path)' can't be written: \(String(cString: strerror(error))).",
            hint: "Make room, or name another file.")
    }
}
