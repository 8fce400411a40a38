import AtriumKit
import Foundation
import RawServer
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("TLS", .serialized)
struct TLSTests {
    private let transport = CurlTransport()

    /// Creates a self-signed certificate with its key.
    static func certificate(in folder: TemporaryFolder) throws -> (certificate: String, key: String) {
        let paths = (certificate: folder.path("certificate.pem"), key: folder.path("key.pem"))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", paths.key, "-out", paths.certificate, "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        ]
        process.standardError = nil
        try process.run()
        process.waitUntilExit()
        try #require(
            process.terminationStatus == 0, "openssl can't create the certificate; 'make test' installs it.")
        return paths
    }

    @Test("A self-signed certificate is refused, and nothing is sent")
    func untrusted() async throws {
        let folder = TemporaryFolder()
        let server = try ReferenceServer { $0.tls = try? Self.certificate(in: folder) }
        try #require(server.url.hasPrefix("https://"))

        let error = try await transportError(.tlsRefused) {
            _ = try await transport.send(HTTPRequest(.get, server.url("_health")))
        }

        #expect(
            error.message
                == "The certificate of the server at 127.0.0.1:\(server.port) is not trusted: no trusted "
                + "authority has signed it (SSL certificate problem: self-signed certificate).")
        #expect(error.hint?.contains("--ca FILE") == true)
        #expect(error.neverSent)
    }

    @Test("An authority of one's own is trusted, and no other with it")
    func ownAuthority() async throws {
        let folder = TemporaryFolder()
        let files = try Self.certificate(in: folder)
        let other = TemporaryFolder()
        let server = try ReferenceServer { $0.tls = files }
        var request = HTTPRequest(.get, server.url("_health"))

        request.tls = TLSSettings(authority: files.certificate)
        #expect(try await transport.send(request).status == 200)

        // The connection that is kept has been made with another trust.
        request.tls = TLSSettings(authority: try Self.certificate(in: other).certificate)
        _ = try await transportError(.tlsRefused) { _ = try await transport.send(request) }
        request.tls = nil
        _ = try await transportError(.tlsRefused) { _ = try await transport.send(request) }
    }

    @Test("An answer says what it came over, if the request asks")
    func connection() async throws {
        let folder = TemporaryFolder()
        let files = try Self.certificate(in: folder)
        let server = try ReferenceServer { $0.tls = files }
        var request = HTTPRequest(.get, server.url("_health"))
        request.tls = TLSSettings(authority: files.certificate)
        #expect(try await transport.send(request).connection == nil)

        // Over a new connection: what it describes is not known of a kept one.
        request.describesConnection = true
        let connection = try #require(try await transport.send(request).connection)

        #expect(connection.version == "HTTP/1.1" && connection.address == "127.0.0.1:\(server.port)")
        #expect(connection.tlsVersion == "TLSv1.3")
        let certificate = try #require(connection.certificate)
        #expect(certificate.subject == "CN = localhost" && certificate.issuer == "CN = localhost")
        let (from, until) = (try #require(certificate.validFrom), try #require(certificate.validUntil))
        #expect(until.microseconds - from.microseconds == 2 * 86_400 * 1_000_000)
    }

    @Test(
        "The times of a certificate are read",
        arguments: [
            ("Nov  6 08:49:37 2027 GMT", "2027-11-06T08:49:37Z"),
            ("Jan 31 23:59:59 1999 GMT", "1999-01-31T23:59:59Z"),
            ("Jan 31 1999", nil), ("Foo 31 23:59:59 1999 GMT", nil), ("Jan 41 23:59:59 1999 GMT", nil),
        ])
    func time(text: String, expected: String?) {
        #expect(HTTPConnection.Certificate.time(text) == expected.flatMap { Timestamp(rfc3339: $0) })
    }

    @Test("A missing file of an authority is an error that names it")
    func missingAuthority() async throws {
        var request = HTTPRequest(.get, "https://127.0.0.1:1/")
        let server = RawServer(greeting: "220 ready\r\n") { _ in .nothing }
        request.url = server.url.replacing("http:", with: "https:") + "/"
        request.tls = TLSSettings(authority: "/nowhere/ca.pem")

        let error = try await transportError("badConfiguration") { _ = try await transport.send(request) }

        #expect(error.message.contains("/nowhere/ca.pem"))
        #expect(error.neverSent)
    }

    @Test("A server without TLS is an error")
    func noTLS() async throws {
        let server = RawServer(greeting: "220 ready\r\n") { _ in .nothing }
        let port = try #require(server.url.split(separator: ":").last)

        let error = try await transportError(.tlsRefused) {
            _ = try await transport.send(HTTPRequest(.get, "https://127.0.0.1:\(port)/"))
        }

        #expect(error.message.hasPrefix("The server at 127.0.0.1:\(port) can't make a secure connection: "))
        #expect(error.hint?.contains("http://") == true)
    }
}
