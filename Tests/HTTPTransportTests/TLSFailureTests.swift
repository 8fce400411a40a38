import AtriumKit
import Testing

@testable import HTTPTransport

@Suite("TLS errors from libcurl's messages")
struct TLSFailureTests {
    private static let request = HTTPRequest(.get, "https://ada:pw@host:81/a?b=c")
    private static let notTrusted = "The certificate of the server at host:81 is not trusted: "

    @Test(
        "Each cause has its message and hint",
        arguments: [
            (
                "SSL certificate problem: certificate has expired", notTrusted + "it has expired.",
                "Ask whoever runs the server to renew it; check the clock of this machine with: date"
            ),
            (
                "SSL certificate problem: certificate is not yet valid", notTrusted + "it is not valid yet.",
                "Check the clock of this machine with: date"
            ),
            (
                "SSL: no alternative certificate subject name matches target host name 'host'",
                notTrusted + "it is not for 'host'.",
                "Set the server's name as in its certificate, with --api or in \"api\" of modules.json."
            ),
            (
                "SSL: certificate subject name 'other' does not match target host name 'host'",
                notTrusted + "it is not for 'host'.",
                "Set the server's name as in its certificate, with --api or in \"api\" of modules.json."
            ),
            (
                "SSL certificate problem: self-signed certificate",
                notTrusted
                    + "no trusted authority has signed it (SSL certificate problem: self-signed certificate).",
                "If the server is yours, add its certificate authority to the system's: copy it to "
                    + "/usr/local/share/ca-certificates, then run update-ca-certificates."
            ),
            (
                "OpenSSL/3.0: error:0A00010B:SSL routines::wrong version number",
                "The server at host:81 can't make a secure connection: "
                    + "OpenSSL/3.0: error:0A00010B:SSL routines::wrong version number.",
                "If it does not use TLS, set an http:// URL with --api or in \"api\" of modules.json."
            ),
        ])
    func reasons(sentence: String, message: String, hint: String) {
        let error = TransportError.tls(sentence, Self.request)

        #expect(error?.code == .tlsRefused)
        #expect(error?.message == message)
        #expect(error?.hint == hint)
        #expect(error?.neverSent == true)
    }

    @Test("Other failures are not TLS errors", arguments: ["Recv failure", "Failed to connect", ""])
    func others(_ sentence: String) {
        #expect(TransportError.tls(sentence, Self.request) == nil)
    }
}
