import AtriumKit

extension TransportError {
    /// Why no safe connection to the server can be made, by what libcurl says of it; nil for anything else.
    ///
    /// Its sentence is all that there is: Foundation tells these failures with one code, `unknown`.
    static func tls(_ sentence: String, _ request: HTTPRequest) -> TransportError? {
        if sentence.contains("certificate has expired") { return .expired(request) }
        if sentence.contains("certificate is not yet valid") { return .notYetValid(request) }
        if sentence.contains("subject name") || sentence.contains("not match target host") {
            return .otherHost(request)
        }
        if sentence.contains("certificate") { return .untrusted(request, sentence) }
        return ["SSL", "TLS"].contains { sentence.contains($0) } ? .noTLS(request, sentence) : nil
    }

    private static func expired(_ request: HTTPRequest) -> TransportError {
        refused(
            request, "it has expired",
            hint: "Ask whoever runs the server to renew it; check the clock of this machine with: date")
    }

    private static func notYetValid(_ request: HTTPRequest) -> TransportError {
        refused(request, "it is not valid yet", hint: "Check the clock of this machine with: date")
    }

    private static func otherHost(_ request: HTTPRequest) -> TransportError {
        refused(
            request, "it is not for '\(request.host)'",
            hint: "Name the server as its certificate does, behind --api or in \"api\" of modules.json.")
    }

    private static func untrusted(_ request: HTTPRequest, _ sentence: String) -> TransportError {
        refused(
            request, "nobody who is trusted here vouches for it (\(sentence))",
            hint: "If the server is yours, add its certificate authority to the system's: copy it to "
                + "/usr/local/share/ca-certificates, then run update-ca-certificates.")
    }

    private static func refused(_ request: HTTPRequest, _ why: String, hint: String) -> TransportError {
        TransportError(
            .tlsRefused, "The certificate of the server at \(request.server) is not trusted: \(why).",
            hint: hint, neverSent: true)
    }

    private static func noTLS(_ request: HTTPRequest, _ sentence: String) -> TransportError {
        TransportError(
            .tlsRefused, "The server at \(request.server) can't agree on a safe connection: \(sentence).",
            hint: "If it has none, name it with http:// behind --api or in \"api\" of modules.json.",
            neverSent: true)
    }
}
