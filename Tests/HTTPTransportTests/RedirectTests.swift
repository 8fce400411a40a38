import AtriumKit
import Testing

@testable import HTTPTransport

@Suite("Redirects", .serialized)
struct RedirectTests {
    private func next(
        _ status: Int, _ location: String, _ method: HTTPMethod = .get
    ) -> HTTPRequest? {
        Redirect.request(
            after: HTTPResponse(status: status, fields: ["Location": location]),
            to: HTTPRequest(
                method, "http://host:81/a/b?c", fields: ["Content-Type": "text/plain", "X": "y"],
                body: .bytes([1])))
    }

    @Test(
        "A redirect on the same server is followed",
        arguments: [
            ("/x?y=1", "http://host:81/x?y=1"), ("x", "http://host:81/a/x"), ("../x", "http://host:81/x"),
            ("http://HOST:81/x", "http://HOST:81/x"), ("//host:81/x", "http://host:81/x"),
        ])
    func same(_ location: String, _ url: String) {
        #expect(next(302, location)?.url == url)
        #expect(next(302, location)?.fields["X"] == "y")
    }

    @Test(
        "A redirect to another server, port or scheme is not followed",
        arguments: [
            "http://other:81/x", "http://host/x", "https://host:81/x", "//other/x", "mailto:a@b",
            "file:///x",
        ])
    func other(_ location: String) {
        #expect(next(302, location) == nil)
    }

    @Test(
        "The status decides whether the method becomes GET",
        arguments: [
            (301, .post, .get), (302, .post, .get), (303, .post, .get), (303, .put, .get),
            (303, .head, .head),
            (301, .put, .put), (307, .post, .post), (308, .delete, .delete),
        ] as [(Int, HTTPMethod, HTTPMethod)])
    func method(_ status: Int, _ method: HTTPMethod, _ expected: HTTPMethod) {
        let request = next(status, "/x", method)

        #expect(request?.method == expected)
        #expect((request?.body == HTTPBody.none) == (method != expected))
        #expect((request?.fields["Content-Type"] == nil) == (method != expected))
    }

    @Test("Other statuses do not redirect", arguments: [200, 201, 300, 304, 305, 400])
    func otherStatus(_ status: Int) {
        #expect(next(status, "/x") == nil)
    }

    @Test("Five redirects are followed; a sixth is an error")
    func count() async throws {
        let server = RawServer { request in
            let number = Int(request.line.split(separator: " ")[1].dropFirst()) ?? 0
            return number == 0
                ? .body("there") : .body("", status: "302 Found", fields: "Location: /\(number - 1)\r\n")
        }
        let transport = CurlTransport()

        let answer = try await transport.send(HTTPRequest(.get, server.url + "/5", timeLimit: .seconds(300)))
        let error = try await transportError(.invalidResponse) {
            _ = try await transport.send(HTTPRequest(.get, server.url + "/6", timeLimit: .seconds(300)))
        }

        #expect(answer.text == "there")
        #expect(error.message == "GET \(server.url)/6 was redirected more than 5 times.")
    }

    @Test("A redirect to another server is returned, and that server gets no request")
    func elsewhere() async throws {
        let other = RawServer { _ in .body("taken") }
        let server = RawServer { _ in
            .body("moved", status: "302 Found", fields: "Location: \(other.url)/x\r\n")
        }

        let answer = try await CurlTransport().send(
            HTTPRequest(.get, server.url + "/", fields: ["Authorization": "Bearer secret"]))

        #expect(answer.status == 302 && answer.text == "moved")
        #expect(answer.fields["Location"] == "\(other.url)/x")
        #expect(other.requests.isEmpty)
    }
}
