import AtriumKit
import RawServer
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
                "If the server is yours, name the authority's certificate: --ca FILE"
            ),
            (
                "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
                "The server at host:81 refuses the connection: OpenSSL SSL_read: error:0A00045C:SSL routines::"
                    + "tlsv13 alert certificate required, errno 0.",
                "If it asks for a certificate, set \"certificate\" and \"key\" of \"api\" in modules.json."
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

        #expect(error.code == .tlsRefused)
        #expect(error.message == message)
        #expect(error.hint == hint)
        #expect(error.neverSent == true)
    }

    @Test("A connection that ends during the handshake is lost, not distrusted, and nothing was sent")
    func lost() async throws {
        for server in [RawServer(resettingAfter: 1), RawServer(resettingAfter: 100)] {
            let url = server.url.replacing("http:", with: "https:")

            let error = try await transportError(.connectionLost) {
                _ = try await CurlTransport().send(HTTPRequest(.post, url, body: .bytes([1])))
            }

            #expect(error.neverSent)
        }
    }
}
