import AtriumKit
import RawServer
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("Requests", .serialized)
struct RequestRulesTests {
    private let transport = CurlTransport()

    @Test(
        "A URL without a server is refused",
        arguments: ["", "nonsense", "ftp://host/", "http://", "http:///path", "/v1/entities", "file:///etc"])
    func badURL(_ url: String) async throws {
        let error = try await transportError(.invalidURL) {
            _ = try await transport.send(HTTPRequest(.get, url))
        }

        #expect(error.message == "'\(url)' is not the URL of a server's resource.")
        #expect(error.neverSent)
    }

    @Test("Shown URLs contain neither query values nor credentials")
    func secrets() {
        let request = HTTPRequest(.post, "http://ada:pass@host:81/a/b?token=secret&page=2#part")

        #expect(request.shown == "POST http://host:81/a/b?token=…&page=…")
    }

    @Test(
        "A field with invalid characters is refused",
        arguments: [
            ("X-Name", "a\r\nX-Other: b"), ("X-Name", "a\nb"), ("X Name", "a"), ("X:Name", "a"), ("", "a"),
            ("X-Name", "a\u{0}"), ("Näme", "a"),
        ])
    func badField(_ name: String, _ value: String) async throws {
        var request = HTTPRequest(.get, "http://127.0.0.1:1/")
        request.fields.append(name, value)

        let error = try await transportError("invalidField") { _ = try await transport.send(request) }

        #expect(error.neverSent)
    }

    @Test("Method, path, query, fields and body are sent unchanged")
    func wire() async throws {
        let server = RawServer { _ in .body("ok") }
        var request = HTTPRequest(.patch, server.url + "/v1/a%20b%2Fc?q=%C3%A9&r=a+b")
        request.fields = ["Authorization": "Bearer x.y", "Content-Type": "application/merge-patch+json"]
        request.body = .bytes(Array(#"{"name":"é"}"#.utf8))

        let answer = try await transport.send(request)

        let sent = try #require(server.requests.first)
        #expect(answer.text == "ok")
        #expect(sent.line == "PATCH /v1/a%20b%2Fc?q=%C3%A9&r=a+b HTTP/1.1")
        #expect(sent.head.contains("Authorization: Bearer x.y\r\n"))
        #expect(sent.head.contains("Content-Type: application/merge-patch+json\r\n"))
        #expect(sent.head.contains("User-Agent: atrium\r\n"))
        #expect(!sent.head.lowercased().contains("cookie") && !sent.head.contains("Expect:"))
        #expect(sent.body == Array(#"{"name":"é"}"#.utf8))
    }

    @Test("Cookies are not stored, and responses are not cached")
    func noState() async throws {
        let server = RawServer { request in
            .body("\(request.number)", fields: "Set-Cookie: id=1\r\nCache-Control: max-age=3600\r\n")
        }

        let first = try await transport.send(HTTPRequest(.get, server.url + "/a"))
        let second = try await transport.send(HTTPRequest(.get, server.url + "/a"))

        #expect((first.text, second.text) == ("0", "1"))
        #expect(server.requests.allSatisfy { !$0.head.lowercased().contains("cookie:") })
    }

    @Test("A request is sent as if it were the first, whatever was sent before it")
    func independence() async throws {
        let server = RawServer { _ in .body("") }
        let folder = TemporaryFolder()
        let file = folder.write("of a file".utf8, to: "body")
        var fields = HTTPRequest(.get, server.url + "/fields")
        fields.fields = ["User-Agent": "other", "Content-Type": "text/plain", "X-Name": "value"]
        let requests = [
            HTTPRequest(.get, server.url + "/get"), HTTPRequest(.head, server.url + "/head"), fields,
            HTTPRequest(.post, server.url + "/post", body: .bytes(Array("text".utf8))),
            HTTPRequest(.put, server.url + "/put", body: .file(file)),
            HTTPRequest(.delete, server.url + "/delete"),
            HTTPRequest(.post, server.url + "/empty", body: .bytes([])),
        ]

        var differing: [String] = []
        for request in requests {
            _ = try await CurlTransport().send(request)
            let alone = try #require(server.requests.last)
            for former in requests {
                _ = try await transport.send(former)
                _ = try await transport.send(request)
                let sent = try #require(server.requests.last)
                if (sent.head, sent.body) != (alone.head, alone.body) {
                    differing.append("\(request.shown) after \(former.shown): \(sent.head)")
                }
            }
        }
        #expect(differing.isEmpty, "\(differing)")
    }
}
