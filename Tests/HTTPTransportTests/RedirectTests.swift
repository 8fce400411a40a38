import AtriumKit
import RawServer
import Testing

@testable import HTTPTransport

@Suite("Redirects", .serialized)
struct RedirectTests {
    private func next(
        _ status: Int, _ location: String, _ method: HTTPMethod = .get,
        from url: String = "http://host:81/a/b?c"
    ) throws -> HTTPRequest? {
        var redirect = Redirect(
            HTTPRequest(
                method, url,
                fields: [
                    "Authorization": "Bearer secret", "Content-Type": "text/plain", "Idempotency-Key": "1",
                    "X": "y",
                ],
                body: method.isSafe ? .none : .bytes([1])))
        let response = HTTPResponse(status: status, fields: ["Location": location])
        return try redirect.follow(response) ? redirect.request : nil
    }

    @Test(
        "A redirect on the same server is followed",
        arguments: [
            ("/x?y=1", "http://host:81/x?y=1"), ("x", "http://host:81/a/x"), ("../x", "http://host:81/x"),
            ("http://HOST:81/x", "http://HOST:81/x"), ("//host:81/x", "http://host:81/x"),
            ("/é?q= #part", "http://host:81/%c3%a9?q=+"), ("http://ada:secret@host:81/x", "http://host:81/x"),
        ])
    func same(_ location: String, _ url: String) throws {
        let request = try #require(try next(302, location))

        #expect(request.url == url)
        #expect(request.fields["X"] == "y" && request.fields["Authorization"] == "Bearer secret")
    }

    @Test(
        "A read follows to another server, port or scheme without credentials",
        arguments: ["http://other:81/x", "http://host/x", "https://host:81/x", "//other/x"])
    func other(_ location: String) throws {
        let request = try #require(try next(307, location))

        #expect(request.fields["Authorization"] == nil && request.fields["Idempotency-Key"] == nil)
        #expect(request.fields["X"] == "y")
    }

    @Test("A read to another server loses every field that its request calls a credential")
    func ownCredential() throws {
        var request = HTTPRequest(.get, "http://host/a", fields: ["X-Session": "secret", "X": "y"])
        request.credentialFields.append("X-Session")
        var redirect = Redirect(request)

        _ = try redirect.follow(HTTPResponse(status: 302, fields: ["Location": "http://other/a"]))

        #expect(redirect.request.fields == ["X": "y"])
    }

    @Test("A port that is the default one is the same server")
    func defaultPort() throws {
        #expect(try next(302, "https://host:443/x", from: "https://host/")?.fields["Authorization"] != nil)
    }

    @Test("A read does not leave a secure connection")
    func downgrade() {
        let error = #expect(throws: TransportError.self) {
            try next(302, "http://host/x", from: "https://host/y")
        }

        #expect(error?.code == .redirected)
        #expect(
            error?.message
                == "GET https://host/y was redirected to a connection that is not secure: http://host/x. "
                + "Credentials are not sent there.")
    }

    @Test("What is no URL of a server is not followed", arguments: ["mailto:a@b", "file:///x", "http://"])
    func noServer(_ location: String) throws {
        #expect(try next(302, location) == nil)
    }

    @Test(
        "The status decides whether the method becomes GET",
        arguments: [
            (303, .post, .get), (303, .put, .get), (303, .head, .head), (301, .get, .get), (301, .put, .put),
            (302, .delete, .delete), (307, .post, .post), (308, .delete, .delete),
        ] as [(Int, HTTPMethod, HTTPMethod)])
    func method(_ status: Int, _ method: HTTPMethod, _ expected: HTTPMethod) throws {
        let request = try next(status, "/x", method)

        #expect(request?.method == expected)
        #expect((request?.body == HTTPBody.none) == (method != expected || method.isSafe))
        #expect((request?.fields["Content-Type"] == nil) == (method != expected))
    }

    @Test("A POST that gets 301 or 302 is an error that says where it was redirected", arguments: [301, 302])
    func movedPost(_ status: Int) {
        let error = #expect(throws: TransportError.self) { try next(status, "/x?y=1", .post) }

        #expect(error?.code == .redirected)
        #expect(
            error?.message
                == "POST http://host:81/a/b?c=… was redirected with status \(status): http://host:81/x?y=…. "
                + "A change is not repeated there.")
        // The server may have performed it before.
        #expect(error?.neverSent == false)
    }

    @Test(
        "A change is not redirected to another server",
        arguments: [(301, .post), (302, .put), (307, .patch), (308, .delete)]
            as [(Int, HTTPMethod)])
    func changeElsewhere(_ status: Int, _ method: HTTPMethod) {
        let error = #expect(throws: TransportError.self) { try next(status, "http://other/x", method) }

        #expect(error?.code == .redirected)
        #expect(error?.message.contains("was redirected to another server: http://other/x.") == true)
        #expect(error?.neverSent == false)
    }

    @Test(
        "A change that is answered with 303 is done, whatever becomes of reading its result",
        arguments: ["http://other/x", "mailto:a@b", "/error", "/lost", "/again", "/rows/1"])
    func done(_ location: String) async throws {
        let server = RawServer { request in
            switch request.line.split(separator: " ")[1] {
            case "/error": .body("no", status: "500 Internal Server Error")
            case "/lost": RawServer.Answer(bytes: [], closes: true)
            case "/rows/1": .body("there")
            default: .body("", status: "303 See Other", fields: "Location: \(location)\r\n")
            }
        }

        let answer = try await CurlTransport().send(HTTPRequest(.post, server.url + "/", body: .bytes([1])))

        #expect(answer.status == (location == "/rows/1" ? 200 : 303))
        #expect(server.requests.filter { $0.line.hasPrefix("POST") }.count == 1)
    }

    @Test("Other statuses do not redirect", arguments: [200, 201, 300, 304, 305, 400])
    func otherStatus(_ status: Int) throws {
        #expect(try next(status, "/x") == nil)
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

    @Test("Another server gets a read without its token, and no change")
    func elsewhere() async throws {
        let other = RawServer { _ in .body("there") }
        let server = RawServer { _ in
            .body("moved", status: "307 Temporary Redirect", fields: "Location: \(other.url)/x\r\n")
        }
        let transport = CurlTransport()

        let answer = try await transport.send(
            HTTPRequest(.get, server.url + "/", fields: ["Authorization": "Bearer secret"]))
        let error = try await transportError(.redirected) {
            _ = try await transport.send(HTTPRequest(.post, server.url + "/", body: .bytes([1])))
        }

        #expect(answer.text == "there")
        #expect(error.message.contains("\(other.url)/x"))
        #expect(other.requests.map(\.line) == ["GET /x HTTP/1.1"])
        #expect(other.requests.allSatisfy { !$0.head.contains("secret") })
    }

    @Test("A server that asks for the token that it did not get is named")
    func missingCredentials() async throws {
        let other = RawServer { _ in .body("no", status: "401 Unauthorized") }
        let server = RawServer { _ in
            .body("", status: "301 Moved Permanently", fields: "Location: \(other.url)/x\r\n")
        }

        let error = try await transportError(.redirected) {
            _ = try await CurlTransport().send(
                HTTPRequest(.get, server.url + "/", fields: ["Authorization": "Bearer secret"]))
        }

        #expect(error.message.contains("was redirected to a server that asks for a sign-in: \(other.url)/x."))
    }
}
