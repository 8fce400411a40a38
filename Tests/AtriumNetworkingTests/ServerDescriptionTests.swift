@_spi(Host) import AtriumKit
import TestSupport
import Testing

/// The comparison of endpoints with the server's description, and what of the description no endpoint has.
@Suite("The description of the reference server")
struct ServerDescriptionTests {
    private struct User: Decodable, Sendable {
        let id: String
        let email: String
        let displayName: String
        let status: String?
        let nickname: String?
        let createdAt: String
    }

    private struct Count: Decodable, Sendable {
        let total: Int
    }

    private struct Whole: Decodable, Sendable {
        let id: String
        let email: String
        let displayName: String?
        let status: String
        let createdAt: String
    }

    private static func differences<Answer>(
        _ endpoint: Endpoint<Answer>, unread: Set<String> = []
    ) throws -> [String] {
        try ServerDescription().compare(endpoint, unread: unread).differences
    }

    private static func post(_ body: APIBody) -> Endpoint<Whole> {
        Endpoint(.post, "v1/users", body: body, access: .anonymous)
    }

    private static let account: JSONObject = ["email": "ada@example.com", "password": "correct horse"]

    @Test("Every difference of a request is found")
    func requests() throws {
        let get = Endpoint<Whole>(.get, "v1/users/me", access: .required)
        var (missing, unknown, empty) = (Self.account, Self.account, Self.account)
        missing["password"] = nil
        unknown["name"] = "Ada"
        empty["email"] = .null
        func body(_ object: JSONObject) throws -> [String] {
            try Self.differences(Self.post(.json(JSONValue.object(object))))
        }

        #expect(try Self.differences(get) == [])
        #expect(
            try Self.differences(Endpoint<Whole>(.put, "v1/users/me")) == ["it is not described"])
        #expect(
            try Self.differences(Endpoint<Whole>(.get, "v1/users/me", access: .anonymous)) == [
                "it needs a token"
            ])
        #expect(
            try Self.differences(get.with { $0.fields["If-Match"] = "*" })
                == ["it sends the header 'If-Match', which is not described"])
        #expect(
            try Self.differences(
                Endpoint<Whole>(.get, "v1/users/me", query: [("page", "1")], access: .required))
                == ["it sends the parameter 'page', which is not described"])
        #expect(try body(Self.account) == [])
        #expect(try body(missing) == ["'body.password' is missing"])
        #expect(try body(unknown) == ["'body.name' is not described"])
        #expect(try body(empty) == ["'body.email' is null, not string"])
        #expect(try Self.differences(Self.post(.form([]))) == ["it takes no form"])
        #expect(try Self.differences(Self.post(.none)) == ["it sends no body"])
        #expect(
            try Self.differences(get.with { $0.repetition = .withKey })
                == ["it sends an Idempotency-Key, which is not described"])
        #expect(
            try Self.differences(
                Endpoint<NoAnswer>(.post, "v1/users/:id/notifications", body: .json(["kind": "other"]))
                    .with { $0.repetition = .never })
                == [
                    "it sends no Idempotency-Key, which is described", "it needs a token",
                    "'body.kind' has a value that is not described", "only one of both has an answer in JSON",
                ])
        #expect(
            try Self.differences(
                Endpoint<APIPage<Whole>>(
                    .get, "v1/users", query: [("sort", "age"), ("page", "x")], access: .required))
                == [
                    "'sort' has a value that is not described", "'page' is string, not integer",
                    "it does not read 'page'", "it does not read 'size'",
                ])
    }

    @Test("Every difference of an answer is found")
    func answers() throws {
        let me = Endpoint<User>(.get, "v1/users/me", access: .required)
        let list = Endpoint<[User]>(.get, "v1/users/me", access: .required)
        let partial = try ServerDescription(
            """
            {"paths": {"/v1/users/me": {"get": {"responses": {"200": {"content": {"application/json": {"schema":
            {"type": "object", "properties": {"total": {"type": "integer"}}}}}}}}}}}
            """)

        let differences = try Self.differences(me, unread: ["id"])
        let missing = try partial.compare(Endpoint<Count>(.get, "v1/users/me")).differences

        #expect(differences.count == 3)
        #expect(
            Set(differences) == [
                "'nickname' is not described", "'displayName' may be null", "it reads 'id'",
            ])
        #expect(try Self.differences(list) == ["it can't decode the answer"])
        #expect(missing == ["'total' may be missing"])
    }

    @Test("The members of tokens and pages are those that a client expects without conventions of its own")
    func conventions() throws {
        let server = try ServerDescription()
        let (tokens, paging) = (APIConventions().authorization, APIConventions().paging)
        func form(_ path: String?) -> JSONValue? {
            server.part(
                "paths", "/\(path ?? "")", "post", "requestBody", "content",
                "application/x-www-form-urlencoded", "schema")
        }
        func requires(_ names: Set<String?>, _ form: JSONValue?) -> Bool {
            guard case .array(let required) = form?["required"] else { return false }
            return Set(required.map(\.stringValue)) == names
        }
        guard case .array(let grants) = form(tokens.tokenPath)?["oneOf"] else { throw APIError.noServer }

        #expect(grants.first?["properties"]?["grant_type"]?["const"]?.stringValue == tokens.grant)
        #expect(requires(["grant_type", tokens.usernameMember, tokens.passwordMember], grants.first))
        #expect(tokens.refreshPath == tokens.tokenPath)
        #expect(requires(["grant_type", tokens.refreshMember], grants.last))
        #expect(requires([tokens.revokeMember], form(tokens.revokePath)))
        let answer = server.part("components", "schemas", "Tokens", "properties")
        for name in [
            tokens.accessTokenMember, tokens.refreshTokenMember, tokens.expiresInMember,
            tokens.refreshExpiresInMember,
        ] { #expect(answer?[name] != nil, "\(name)") }
        #expect(
            server.part("components", "parameters", "idempotencyKey", "name")?.stringValue
                == APIConventions().idempotencyHeader)
        for name in [paging.pageParameter, paging.sizeParameter ?? ""] {
            #expect(server.part("components", "parameters", name, "name")?.stringValue == name)
        }
        let page = server.part("components", "schemas", "EntityPage", "properties")
        for name in [paging.rowsMember, paging.totalMember ?? ""] { #expect(page?[name] != nil, "\(name)") }
    }
}
