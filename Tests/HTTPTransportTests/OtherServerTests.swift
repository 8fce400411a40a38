import AtriumKit
import Glibc
import RawServer
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("Servers of others", .serialized)
struct OtherServerTests {
    private let transport = CurlTransport()

    /// Sends until the server listens.
    private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        var answer: HTTPResponse?
        try await eventually("the server listens", turns: 100_000) {
            do {
                answer = try await transport.send(request)
            } catch let error as TransportError where error.code == .serverUnreachable {
                return false
            }
            return true
        }
        return try #require(answer)
    }

    @Test("HTTP/2: many requests share a connection, and a body is echoed")
    func http2() async throws {
        let folder = TemporaryFolder()
        let files = try TLSTests.certificate(in: folder)
        folder.write(Array("hello".utf8), to: "page.txt")
        // It speaks nothing but HTTP/2.
        let server = try ProgramServer { port in
            [
                "nghttpd", "--echo-upload", "--max-concurrent-streams=100", "-d", folder.path(""), "\(port)",
                files.key, files.certificate,
            ]
        }
        let tls = TLSSettings(authority: files.certificate)
        var read = HTTPRequest(.get, server.url + "/page.txt")
        read.tls = tls
        var upload = HTTPRequest(.post, server.url + "/", body: .bytes(Array(repeating: 65, count: 300_000)))
        upload.tls = tls

        #expect(try await send(read).text == "hello")
        let answers = try await withThrowingTaskGroup(of: String.self) { [transport, read] group in
            for _ in 0..<50 { group.addTask { try await transport.send(read).text } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: "hello", count: 50))
        #expect(try await send(upload).body.count == 300_000)
        read.describesConnection = true
        #expect(try await send(read).connection?.version == "HTTP/2")
    }

    @Test("A server that asks for a certificate gets it; without one it refuses")
    func clientCertificate() async throws {
        let folder = TemporaryFolder()
        let files = try TLSTests.certificate(in: folder)
        let server = try ProgramServer { port in
            [
                "openssl", "s_server", "-quiet", "-www", "-accept", "\(port)", "-cert", files.certificate,
                "-key", files.key, "-CAfile", files.certificate, "-Verify", "1", "-verify_return_error",
            ]
        }
        var request = HTTPRequest(.get, server.url + "/")
        request.tls = TLSSettings(
            authority: files.certificate, certificate: files.certificate, key: files.key)

        #expect(try await send(request).status == 200)

        request.tls = TLSSettings(authority: files.certificate)
        let error = try await transportError(.tlsRefused) { _ = try await transport.send(request) }
        #expect(error.neverSent)
        #expect(error.hint?.contains("\"certificate\"") == true)
    }

    /// Answers each connection once; without an alert if the path says so.
    private static let server = """
        import ssl, sys, socket
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
        fields = {b"length": b"Content-Length: 6", b"chunks": b"Transfer-Encoding: chunked", b"end": b"X: y"}
        while True:
            try:
                connection = context.wrap_socket(listener.accept()[0], server_side=True)
                _, framing, end = connection.recv(4096).split(b" ")[1].split(b"/")
                body = b"6\\r\\nhello\\n\\r\\n0\\r\\n\\r\\n" if framing == b"chunks" else b"hello\\n"
                connection.sendall(b"HTTP/1.1 200 OK\\r\\n" + fields[framing] + b"\\r\\nConnection: close\\r\\n\\r\\n" + body)
                if end == b"alert":
                    connection.unwrap()
                connection.close()
            except (OSError, ValueError):
                pass
        """

    @Test("A body that ends with the connection is whole only if the server has closed TLS")
    func endsWithoutAlert() async throws {
        let folder = TemporaryFolder()
        let files = try TLSTests.certificate(in: folder)
        let server = try ProgramServer { port in
            ["python3", "-c", Self.server, "\(port)", files.certificate, files.key]
        }
        for (path, isWhole) in [
            ("/length/none", true), ("/chunks/none", true), ("/end/alert", true), ("/end/none", false),
            ("/end/alert", true),
        ] {
            var request = HTTPRequest(.get, server.url + path)
            request.tls = TLSSettings(authority: files.certificate)
            if isWhole {
                #expect(try await send(request).body.count == 6, "\(path)")
            } else {
                _ = try await transportError(.connectionLost) { _ = try await transport.send(request) }
            }
        }
    }

    @Test("A silent server is an error at the idle limit, before the time limit")
    func idle() async throws {
        let server = RawServer { _ in RawServer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf") }
        let transport = CurlTransport(TransportLimits(idle: .milliseconds(200)))

        let error = try await transportError(.timedOut) {
            _ = try await transport.send(HTTPRequest(.get, server.url + "/", timeLimit: .seconds(600)))
        }

        #expect(error.message.hasSuffix("nothing came from \(server.url.dropFirst(7)) for 0.2 s."))
        #expect(!error.neverSent)
    }

    /// In its own process, as the environment is the whole process's.
    @Test("A proxy of the environment is used, and its refusal is told")
    func proxy() async {
        await #expect(processExitsWith: .success) {
            let proxy = RawServer { request in
                request.line.hasPrefix("CONNECT") ? .body("no", status: "403 Forbidden") : .body("by proxy")
            }
            setenv("http_proxy", proxy.url, 1)
            setenv("https_proxy", proxy.url, 1)
            let transport = CurlTransport()

            let answer = try await transport.send(HTTPRequest(.get, "http://server.test/x"))
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(HTTPRequest(.post, "https://server.test/x", body: .bytes([1])))
            }

            // Nobody listens on the port for 'discard'.
            setenv("http_proxy", "http://127.0.0.1:9", 1)
            let unreachable = await #expect(throws: TransportError.self) {
                try await CurlTransport().send(HTTPRequest(.get, "http://server.test/x"))
            }

            #expect(unreachable?.message.contains("the proxy can't be reached") == true)
            #expect(unreachable?.hint?.contains("http_proxy") == true && unreachable?.neverSent == true)
            #expect(answer.text == "by proxy")
            #expect(
                proxy.requests.map(\.line) == [
                    "GET http://server.test/x HTTP/1.1", "CONNECT server.test:443 HTTP/1.1",
                ])
            #expect(error?.code == .serverUnreachable && error?.neverSent == true)
            #expect(
                error?.message.contains("the proxy makes no connection to server.test: status 403.") == true)
        }
    }
}
