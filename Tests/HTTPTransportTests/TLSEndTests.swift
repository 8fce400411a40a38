import AtriumKit
import Foundation
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("The end of an answer over TLS", .serialized)
struct TLSEndTests {
    private let folder = TemporaryFolder()

    /// A server that answers each connection once, and closes it with the alert of TLS at path `/closed` only.
    private static let server = """
        import socket, ssl, sys
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        bodies = {"none": "\\r\\na\\nb\\n", "length": "Content-Length: 4\\r\\n\\r\\na\\nb\\n",
                  "chunked": "Transfer-Encoding: chunked\\r\\n\\r\\n4\\r\\na\\nb\\n\\r\\n0\\r\\n\\r\\n"}
        while True:
            connection = context.wrap_socket(listener.accept()[0], server_side=True)
            path = connection.recv(65536).split()[1].decode()
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n" + bodies[path.split("/")[2]].encode())
            if path.startswith("/closed"):
                try: connection = connection.unwrap()
                except OSError: pass
            connection.close()
        """

    /// Runs `body` with the address of the server, and a request for it.
    private func serve(_ body: (_ request: (String) -> HTTPRequest) async throws -> Void) async throws {
        let files = try TLSTests.certificate(in: folder)
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.server, files.certificate, files.key]
        process.standardOutput = output
        try process.run()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
        try await body { path in
            var request = HTTPRequest(.get, "https://127.0.0.1:\(port)\(path)")
            request.tls = TLSSettings(authority: files.certificate)
            return request
        }
    }

    @Test("Without a length, only the alert says that it is whole")
    func noLength() async throws {
        let transport = CurlTransport()
        let path = folder.path("rows.csv")
        try Data("former".utf8).write(to: URL(filePath: path))

        try await serve { request in
            let whole = try await transport.send(request("/closed/none"))
            #expect(whole.text == "a\nb\n")
            _ = try await transportError(.connectionLost) {
                _ = try await transport.send(request("/cut/none"))
            }
            _ = try await transportError(.connectionLost) {
                _ = try await transport.download(request("/cut/none"), to: path) { _ in }
            }
        }

        #expect(try String(contentsOfFile: path, encoding: .utf8) == "former")
    }

    @Test("With a length or chunks, the alert does not matter", arguments: ["length", "chunked"])
    func length(framing: String) async throws {
        let transport = CurlTransport()

        try await serve { request in
            for end in ["closed", "cut"] {
                let answer = try await transport.send(request("/\(end)/\(framing)"))
                #expect(answer.text == "a\nb\n", "\(end)")
            }
        }
    }
}
