import AtriumKit
import AtriumTesting
import Testing

@testable import AtriumNetworking

@Suite("No text contains a secret")
struct RedactionTests {
    private static let password = "correct horse battery"
    private static let secrets = [
        "access-ada-1", "refresh-ada-1", "access-ada-2", "refresh-ada-2", "access-grace-9", "refresh-grace-9",
        password,
    ]

    /// The text of a server or a transport that repeats the whole request.
    private static func echo(_ request: HTTPRequest) -> String {
        let fields = request.fields.fields.map { "\($0.name): \($0.value)" }.joined(separator: " ")
        let text = request.text.replacing("\"", with: "'").replacing("+", with: " ")
        return "You sent \(fields) \(text)"
    }

    @Test("A server that repeats secrets reveals none", arguments: [200, 400, 401, 403, 409, 422, 429, 500])
    func server(status: Int) async throws {
        let client = try TestClient(tokens: .sample(), configure: { $0.retry.attempts = 2 }) { request in
            if request.isForTokens, request.text.contains("refresh_token") { return .tokens(2) }
            let echo = Self.echo(request)
            return .json(
                """
                {"type": "/\(echo)", "title": "\(echo)", "detail": "\(echo)", "instance": "\(echo)",
                 "errorCode": 1, "errorMsg": "\(echo)", "error": "invalid_grant", "\(echo)": {"x": ["\(echo)"]},
                 "error_description": "\(echo)", "errors": [{"field": "\(echo)", "detail": "\(echo)"}]}
                """, status: status, ["Content-Type": "application/problem+json", "X-Echo": echo])
        }
        try await check(client)
    }

    @Test("A secret that an answer escapes as JSON does is hidden")
    func escaped() async throws {
        let password = #"cor"rect\horse"#
        let client = try TestClient { _ in
            .json(#"{"detail": "cor\"rect\\horse was refused", "note": "cor\"rect."}"#, status: 401)
        }

        let error = await failure {
            try await client.manager.obtainTokens(.password(username: "ada", password: password))
        }

        #expect(error?.answer?.body == #"{"detail": "(hidden) was refused", "note": "cor\"rect."}"#)
    }

    @Test("A transport that repeats secrets reveals none")
    func transport() async throws {
        let client = try TestClient(tokens: .sample(), configure: { $0.retry.attempts = 2 }) { request in
            throw TransportError(.requestFailed, Self.echo(request), hint: Self.echo(request))
        }
        try await check(client)
    }

    @Test("A transport's own error type that repeats secrets reveals none")
    func foreign() async throws {
        let client = try TestClient(tokens: .sample()) { request in
            throw Foreign(message: Self.echo(request), cause: Foreign(message: Self.echo(request)))
        }
        try await check(client)
    }

    private struct Foreign: ExplainedError {
        let message: String
        var cause: (any Error)?
        let code: ErrorCode = "foreign"
        let hint: String? = "Turn it on."
    }

    @Test("A transport's own error type keeps its code, hint and causes")
    func foreignKind() async throws {
        let client = try TestClient { _ in
            throw Foreign(message: "It is off.", cause: Foreign(message: "The fuse blew."))
        }

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(error?.message == "GET v1/rows/:id failed: It is off.")
        #expect(error?.code == "foreign")
        #expect(error?.hint == "Turn it on.")
        let cause = error?.cause as? any ExplainedError
        #expect(cause?.message == "It is off.")
        #expect((cause?.cause as? any ExplainedError)?.message == "The fuse blew.")
    }

    @Test("Requests, grants, tokens and bodies reveal no secret if printed or dumped")
    func values() {
        var request = HTTPRequest(.post, "http://server.test")
        request.fields["Authorization"] = "Bearer access-ada-1"
        request.fields["idempotency-key"] = "refresh-ada-1"
        request.body = .bytes(Array(Self.password.utf8))
        let call = Endpoint<Row>(
            .post, "x", body: .form([("password", Self.password)]), access: .explicit(.sample())
        ).call
        let json = Endpoint<Row>(.post, "x", body: .json(["password": Self.password])).call
        let values: [Any] = [
            request, AccessTokens.sample(), TokenGrant.password(username: "ada", password: Self.password),
            call, json,
            HTTPResponse(status: 200, body: Array(Self.password.utf8)), TokenEvent.ended(id: "ada"),
        ]

        for value in values { expectNoSecret(in: texts(value)) }

        #expect("\(request.fields.fields[0])" == "Authorization: (hidden)")
        #expect("\(TokenGrant.password(username: "ada", password: "x"))" == "password of ada (hidden)")
        #expect("\(request.body)" == "21 bytes")
        let redact = Redactor([Self.password])
        #expect(redact("It was \(Self.password).") == "It was (hidden).")
        #expect(redact(String(repeating: "long ", count: 20_000)).utf8.count == 64 * 1024 + "…".utf8.count)
    }

    private func check(_ client: TestClient) async throws {
        let failures: [(any Error)?] = [
            await failure { try await client.manager.request(.row(1)) },
            await failure { try await client.manager.request(.create(Row(id: 1, name: ""))) },
            await failure {
                try await client.manager.request(.row(2, access: .explicit(.sample(9, id: "grace"))))
            },
            await failure {
                try await client.manager.obtainTokens(.password(username: "ada", password: Self.password))
            },
            await failure {
                try await client.manager.request(
                    Endpoint<Row>(.post, "v1/users", body: .json(["a": [["password": Self.password]]])))
            },
            await failure { try await client.manager.revoke(.sample()) },
        ]
        let keys = client.transport.requests.compactMap { $0.fields["Idempotency-Key"] }

        #expect(failures.compactMap { $0 }.count >= 5)
        #expect(!keys.isEmpty)
        for failure in failures.compactMap({ $0 }) { expectNoSecret(in: texts(failure), keys) }
        expectNoSecret(in: texts(await client.manager.metrics), keys)
        expectNoSecret(in: client.log.messages.joined(), keys)
        var managerText = ""
        dump(client.manager.configuration, to: &managerText)
        expectNoSecret(in: managerText, keys)
    }

    /// All texts of a value that can be had without naming its secret members.
    private func texts(_ value: Any) -> String {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        if let error = value as? any ExplainedError {
            text += " \(error.message) \(error.hint ?? "")" + (error.cause.map { texts($0) } ?? "")
        }
        return text
    }

    private func expectNoSecret(in text: String, _ more: [String] = []) {
        for secret in Self.secrets + more { #expect(!text.contains(secret), "\(secret) is in \(text)") }
    }
}
