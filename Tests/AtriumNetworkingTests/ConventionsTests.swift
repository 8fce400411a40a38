@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumTesting
import Testing

@testable import AtriumNetworking

/// What differs between backends.
@Suite("The conventions of an API")
struct ConventionsTests {
    /// A client of an API with other conventions.
    private func client(
        tokens: AccessTokens? = nil, _ change: @escaping (inout APIConventions) -> Void,
        _ reply: @escaping ScriptedTransport.Reply
    ) throws -> TestClient {
        try TestClient(tokens: tokens, configure: { change(&$0.conventions) }, reply)
    }

    private static func django(_ conventions: inout APIConventions) {
        conventions.authorization.grant = nil
        conventions.authorization.body = .json
        conventions.authorization.tokenPath = "api/token/"
        conventions.authorization.refreshPath = "api/token/refresh/"
        conventions.authorization.refreshMember = "refresh"
        conventions.authorization.revokePath = "api/token/blacklist/"
        conventions.authorization.revokeMember = "refresh"
        conventions.authorization.accessTokenMember = "access"
        conventions.authorization.refreshTokenMember = "refresh"
        conventions.authorization.signInCommand = "notes sign-in"
    }

    // MARK: - Tokens

    @Test("By default a sign-in is OAuth's password grant as a form")
    func defaultSignIn() async throws {
        let client = try client { _ in
        } _: { _ in
            .tokens(1)
        }

        _ = try await client.manager.obtainTokens(.password(username: "ada", password: "pw"))

        #expect(client.transport.requests.map(\.url) == ["http://server.test/oauth/token"])
        #expect(client.transport.requests[0].text == "grant_type=password&username=ada&password=pw")
    }

    @Test("A sign-in by JSON has its own path and members, and reads its own members of the answer")
    func jsonSignIn() async throws {
        let client = try client {
            Self.django(&$0)
            $0.authorization.usernameMember = "user.email"
            $0.authorization.passwordMember = "user.password"
            $0.authorization.accessTokenMember = "data.access"
        } _: { _ in
            .json(#"{"data": {"access": "a"}, "refresh": "r"}"#)
        }

        let tokens = try await client.manager.obtainTokens(.password(username: "ada", password: "pw"))

        let request = client.transport.requests[0]
        #expect(request.url == "http://server.test/api/token/")
        #expect(request.fields["Content-Type"] == "application/json")
        #expect(request.text == #"{"user":{"email":"ada","password":"pw"}}"#)
        #expect([tokens.accessToken, tokens.refreshToken] == ["a", "r"])
    }

    @Test("A missing member of the answer is named as the API names it")
    func missingMember() async throws {
        let client = try client(Self.django) { _ in .json("{}") }

        let error = await failure {
            try await client.manager.obtainTokens(.password(username: "ada", password: "pw"))
        }

        #expect(error?.message == "POST api/token/ returned an invalid response: 'access' is missing.")
    }

    @Test(
        "Without grants, 400 and 401 refuse credentials, and nothing else does",
        arguments: [400, 401, 403, 500])
    func refusedCredentials(status: Int) async throws {
        let client = try client(Self.django) { _ in
            .json(#"{"detail": "No such account: pw."}"#, status: status)
        }

        let error = await failure {
            try await client.manager.obtainTokens(.password(username: "ada", password: "pw"))
        }

        #expect((error?.code == .invalidGrant) == [400, 401].contains(status))
        #expect(error?.message.contains("No such account: (hidden).") == true)
        if [400, 401].contains(status) { #expect(error?.hint == "notes sign-in") }
    }

    @Test("A refresh has its own path and member, and its refusal ends the sign-in")
    func refresh() async throws {
        let client = try client(tokens: .expired, Self.django) { request in
            request.url.hasSuffix("/refresh/")
                ? .json(#"{"access": "new"}"#) : request.token == "new" ? .row : .unauthorized
        }

        _ = try await client.manager.request(.row(1, access: .required))

        #expect(client.requests("/api/token/refresh/").map(\.text) == [#"{"refresh":"refresh-ada-1"}"#])
        #expect(client.store.stored?.accessToken == "new")
        #expect(client.store.stored?.refreshToken == "refresh-ada-1")

        let refused = try self.client(tokens: .expired, Self.django) { _ in
            .json(#"{"detail": "Token is blacklisted", "code": "token_not_valid"}"#, status: 401)
        }
        let error = await failure { try await refused.manager.request(.row(1, access: .required)) }

        #expect(error?.code == .notAuthenticated)
        #expect(error?.hint == "notes sign-in")
        #expect(refused.store.stored == nil)
    }

    @Test("Without a refresh, no refresh token is kept, and the sign-in ends with its access token")
    func noRefresh() async throws {
        let client = try client {
            $0.authorization.refreshPath = nil
        } _: {
            $0.isForTokens ? .tokens(1) : .unauthorized
        }
        let tokens = try await client.manager.obtainTokens(.password(username: "ada", password: "pw"))
        try await client.manager.use(tokens)

        let error = await failure { try await client.manager.request(.row(1, access: .required)) }

        #expect(tokens.refreshToken == nil)
        #expect(error?.message == "The sign-in has ended: the server no longer accepts it.")
        #expect(client.requests("/oauth/token").count == 1)
        #expect(client.store.stored == nil)

        let stored = try self.client(tokens: .expired) {
            $0.authorization.refreshPath = nil
        } _: { _ in
            .row
        }
        _ = try await stored.manager.request(.row(1, access: .required))
        #expect(stored.refreshes == 0)
    }

    @Test("A revocation has its own path and member, the token in its header, or does not happen")
    func revoke() async throws {
        let django = try client(Self.django) { _ in .json("{}") }
        try await django.manager.revoke(.sample())
        #expect(django.requests("/api/token/blacklist/").map(\.text) == [#"{"refresh":"refresh-ada-1"}"#])

        let header = try client {
            $0.authorization.revokeMember = nil
        } _: { _ in
            .json("{}")
        }
        try await header.manager.revoke(.sample())
        #expect(header.requests("/oauth/revoke").map(\.token) == ["access-ada-1"])
        #expect(header.requests("/oauth/revoke").map(\.text) == [""])

        let none = try client {
            $0.authorization.revokePath = nil
        } _: { _ in
            .json("{}")
        }
        try await none.manager.revoke(.sample())
        #expect(none.transport.requests.isEmpty)
    }

    @Test("A token that the server no longer knows is revoked already, without grants only")
    func revoked() async throws {
        let django = try client(Self.django) { _ in .json(#"{"detail": "Token is invalid"}"#, status: 401) }
        try await django.manager.revoke(.sample())

        let oauth = try client { _ in
        } _: { _ in
            .unauthorized
        }
        #expect(await failure { try await oauth.manager.revoke(.sample()) } != nil)
    }

    @Test("The token goes into the configured field behind its scheme, and to no other origin")
    func header() async throws {
        let usual = try client(tokens: .sample()) { _ in
        } _: { _ in
            .row
        }
        _ = try await usual.manager.request(.row(1))
        #expect(usual.transport.requests[0].fields["Authorization"] == "Bearer access-ada-1")
        #expect(usual.transport.requests[0].credentialFields == HTTPRequest(.get, "").credentialFields)

        let scheme = try client(tokens: .sample()) {
            $0.authorization.scheme = "Token"
        } _: { _ in
            .row
        }
        _ = try await scheme.manager.request(.row(1))
        #expect(scheme.transport.requests[0].fields["Authorization"] == "Token access-ada-1")

        let own = try client(tokens: .sample()) {
            $0.authorization.header = "X-Session"
            $0.authorization.scheme = nil
        } _: { _ in
            .row
        }
        _ = try await own.manager.request(.row(1))
        #expect(own.transport.requests[0].fields["X-Session"] == "access-ada-1")
        #expect(own.transport.requests[0].fields["Authorization"] == nil)
        #expect(own.transport.requests[0].credentialFields.contains("X-Session"))
    }

    // MARK: - Changes

    @Test("The idempotency key goes into the configured field")
    func keyName() async throws {
        let client = try client {
            $0.idempotencyHeader = "X-Request-Id"
        } _: { _ in
            .row
        }

        _ = try await client.manager.request(.create(Row(id: 1, name: "Ada")))

        #expect(client.transport.requests[0].fields["X-Request-Id"]?.count == 32)
        #expect(client.transport.requests[0].fields["Idempotency-Key"] == nil)
        #expect(client.transport.requests[0].credentialFields.contains("X-Request-Id"))
    }

    @Test("Without a key a change is sent once, and its error says so")
    func noKey() async throws {
        let lost = try client {
            $0.idempotencyHeader = nil
        } _: { _ in
            throw TransportError(.connectionLost, "The connection ended.")
        }
        let error = await failure { try await lost.manager.request(.create(Row(id: 1, name: "Ada"))) }

        #expect(lost.transport.requests.count == 1)
        #expect(lost.transport.requests[0].fields["Idempotency-Key"] == nil)
        #expect(
            error?.message
                == "POST v1/rows failed: the connection to http://server.test ended before the answer did. It is "
                + "not known whether the request was performed. It was not sent again, because this API takes no "
                + "idempotency key.")

        let busy = try client {
            $0.idempotencyHeader = nil
        } _: { _ in
            .json("{}", status: 503)
        }
        let refusal = await failure { try await busy.manager.request(.create(Row(id: 1, name: "Ada"))) }
        #expect(busy.transport.requests.count == 1)
        #expect(refusal?.message.hasSuffix("because this API takes no idempotency key.") == true)

        let wrong = try client {
            $0.idempotencyHeader = nil
        } _: { _ in
            .json("{}", status: 422)
        }
        let finding = await failure { try await wrong.manager.request(.create(Row(id: 1, name: "Ada"))) }
        #expect(finding?.message.contains("idempotency") == false)
    }

    @Test("Without a key reads, and changes that their endpoint calls safe, are still repeated")
    func safe() async throws {
        let client = try client {
            $0.idempotencyHeader = nil
        } _: { _ in
            .json("{}", status: 503)
        }

        _ = await failure { try await client.manager.request(.row(1)) }
        _ = await failure {
            try await client.manager.request(.create(Row(id: 1, name: "")).with { $0.repetition = .safe })
        }

        #expect(client.transport.requests.count == 8)
    }

    // MARK: - Pages

    @Test("A page has the parameters and members of the reference server")
    func defaultPage() async throws {
        let client = try client { _ in
        } _: { _ in
            .json(#"{"rows": [{"id": 1, "name": "Ada"}], "total": 7}"#)
        }

        let page = try await client.manager.request(Endpoint<APIPage<Row>>(.get, "v1/rows").page(2, size: 5))

        #expect(client.transport.requests[0].url == "http://server.test/v1/rows?page=2&size=5")
        #expect(page.rows == [Row(id: 1, name: "Ada")])
        #expect(page.total == 7)
        #expect(page.hasNext == nil)
    }

    @Test("Page parameters, the first number and the members are configurable")
    func page() async throws {
        let client = try client {
            $0.paging.pageParameter = "p"
            $0.paging.sizeParameter = nil
            $0.paging.firstPage = 0
            $0.paging.rowsMember = "data.items"
            $0.paging.totalMember = nil
            $0.paging.nextMember = "links.next"
        } _: {
            $0.url.contains("p=0")
                ? .json(#"{"data": {"items": []}, "links": {"next": "http://server.test/rows?p=1"}}"#)
                : .json(#"{"data": {"items": []}, "links": {"next": null}}"#)
        }
        let list = Endpoint<APIPage<Row>>(.get, "rows/", query: [("q", "a")])

        let first = try await client.manager.request(list.page(1, size: 5))
        #expect(client.transport.requests[0].url == "http://server.test/rows/?p=0&q=a")
        let last = try await client.manager.request(Endpoint<APIPage<Row>>(.get, "rows/").page(2, size: 5))

        #expect(client.transport.requests.map(\.url)[1] == "http://server.test/rows/?p=1")
        #expect(first.total == nil)
        #expect(first.hasNext == true)
        #expect(last.hasNext == false)
    }

    @Test(
        "The next page is in a member or in the field Link, as a link or a cursor",
        arguments: [
            ("next", "c", #""a b""#, nil, "a b"), ("next", "c", "17", nil, "17"),
            ("next", "c", #""/rows?q=1&c=a%2Bb+c#d""#, nil, "a+b c"), ("next", "c", "null", nil, nil),
            ("next", "c", #""""#, nil, nil),
            (nil, "c", "null", #"</rows?c=x>; rel="next", </rows?c=y>; rel="prev""#, "x"),
            (
                nil, "c", "null",
                #"<http://a/?c=y>; rel=prev, <http://a/?c=x%20,>; title="n"; rel="last next""#, "x ,"
            ),
            (nil, "c", "null", #"<http://a/?c=y>; rel="prev""#, nil), (nil, "c", "null", nil, nil),
            (nil, "c", "null", "rel=next", nil), (nil, "c", "null", "<<>;rel=next>", nil),
            (nil, nil, "null", #"</rows?page=2>; rel="next""#, nil),
            (
                nil, "c", "null",
                #"</a.css>; rel=preload; title="x, <y>; rel=next", </rows?c=z>; rel="next""#, "z"
            ),
        ] as [(String?, String?, String, String?, String?)])
    func next(member: String?, parameter: String?, next: String, link: String?, cursor: String?) async throws
    {
        let client = try client {
            ($0.paging.nextMember, $0.paging.cursorParameter) = (member, parameter)
        } _: { _ in
            var answer = HTTPResponse.json(#"{"rows": [], "total": 0, "next": \#(next)}"#)
            if let link { answer.fields["Link"] = link }
            return answer
        }

        let rows = Endpoint<APIPage<Row>>(.get, "rows")
        let page = try await client.manager.request(rows.page(after: nil, size: 5))
        _ = try await client.manager.request(rows.page(after: page.next, size: 5))

        #expect(page.next == cursor)
        #expect(page.hasNext == (cursor != nil || parameter == nil))
        let urls = client.transport.requests.map(\.url)
        let place = parameter == nil ? "page=1&" : ""
        #expect(urls[0] == "http://server.test/rows?\(place)size=5")
        #expect(urls[1].contains("c=") == (cursor != nil))
    }

    @Test(
        "A field Link that is not about pages says nothing of them",
        arguments: ["</a.css>; rel=preload", #"</a>; rel="help"; title="; rel=next""#, "", "<"])
    func otherLinks(_ link: String) async throws {
        let client = try client { _ in
        } _: { _ in
            .json(#"{"rows": [], "total": 0}"#, ["Link": link])
        }

        let page = try await client.manager.request(Endpoint<APIPage<Row>>(.get, "rows").page(1))

        #expect(page.hasNext == nil && page.next == nil)
    }

    @Test("Any number of a page can be sent", arguments: [Int.min, 0, .max])
    func anyPage(_ number: Int) async throws {
        let client = try client {
            $0.paging.firstPage = 0
        } _: { _ in
            .json("[]")
        }

        _ = try? await client.manager.request(Endpoint<APIPage<Row>>(.get, "rows").page(number))

        let page = number.subtractingClamped(1)
        #expect(client.transport.requests[0].url == "http://server.test/rows?page=\(page)")
    }

    @Test("An answer that is the list itself is a page")
    func bareList() async throws {
        let client = try client {
            $0.paging.rowsMember = ""
        } _: { _ in
            .json(#"[{"id": 1, "name": "Ada"}]"#)
        }

        let page = try await client.manager.request(Endpoint<APIPage<Row>>(.get, "rows").page(1))

        #expect(page.rows.count == 1)
        #expect(page.total == nil)
    }

    // MARK: - modules.json

    @Test("The host's settings override each member that they name, and null removes one")
    func overrides() throws {
        let json = """
            { "modules": [], "apis": { "notes": { "url": "http://server.test", "idempotencyHeader": null,
              "authorization": { "body": "json", "refreshPath": null, "scheme": "Token",
                "members": { "scope": "b" }, "clientID": "web", "clientSecret": "@env:NAME" },
              "paging": { "rowsMember": null, "totalMember": null, "firstPage": 0, "cursorParameter": "after" },
              "prefix": null, "endsPathsWithSlash": true, "envelopeMember": "data", "times": "utc",
              "updateMethod": "PUT", "headers": { "X-Tenant": "a" } } } }
            """
        let settings = try HostConfiguration(json: Array(json.utf8), file: "modules.json").apis["notes"]
        let stated = APIConventions {
            $0.authorization.tokenPath = "login"
            $0.authorization.members = ["scope": "a", "client_id": "c"]
            $0.headers = ["X-Other": "b"]
            $0.idempotencyHeader = "X-Key"
        }

        let result = stated.overridden(by: try #require(settings))

        let expected = APIConventions {
            $0.authorization.tokenPath = "login"
            $0.authorization.body = .json
            $0.authorization.refreshPath = nil
            $0.authorization.scheme = "Token"
            $0.idempotencyHeader = nil
            $0.paging.rowsMember = ""
            $0.paging.totalMember = nil
            $0.paging.firstPage = 0
            $0.paging.cursorParameter = "after"
            $0.authorization.members = ["scope": "b", "client_id": "c"]
            $0.authorization.clientID = "web"
            $0.authorization.clientSecret = "@env:NAME"
            ($0.prefix, $0.endsPathsWithSlash, $0.envelopeMember) = (nil, true, "data")
            ($0.times, $0.updateMethod) = (.utc, .put)
            $0.headers = ["X-Tenant": "a", "X-Other": "b"]
        }
        #expect(result == expected)
        let silent = try HostConfiguration(json: Array(#"{ "modules": [] }"#.utf8), file: "modules.json").api
        #expect(stated.overridden(by: silent) == stated)
    }
}
