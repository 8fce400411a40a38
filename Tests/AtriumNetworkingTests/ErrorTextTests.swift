import AtriumTesting
import Testing

@testable import AtriumKit
@testable import AtriumNetworking

@Suite("Every failure has a message and a hint")
struct ErrorTextTests {
    @Test("A failure without a complete response", arguments: TransportCase.all)
    func transport(example: TransportCase) async throws {
        let client = try TestClient(configure: { $0.retry.attempts = 1 }) { _ in throw example.error }

        let error = await failure { try await client.manager.request(example.endpoint) }

        #expect(error?.message == example.message)
        #expect(error?.hint == example.hint)
        #expect(error?.code == example.error.code)
        #expect((error?.cause as? TransportError)?.code == example.error.code)
        #expect(error?.status == nil)
    }

    @Test("An error response", arguments: AnswerCase.errors)
    func status(example: AnswerCase) async throws {
        let client = try TestClient(configure: { $0.retry.attempts = 1 }) { _ in example.response }

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(error?.message == example.message)
        #expect(error?.hint == example.hint)
        #expect(error?.code == example.code)
        #expect(error?.status == example.response.status)
        #expect(await client.manager.metrics.endpoints[0].errors == 1)
        #expect(await client.manager.metrics.endpoints[0].calls == 1)
    }

    @Test("An RFC 9457 problem is in the error, with each field")
    func problem() async throws {
        let client = try TestClient { _ in
            .json(
                #"""
                {"type": "/problems/validation", "title": "Invalid.", "status": 422, "detail": "The name is empty.",
                 "errors": [{"field": "name", "detail": "It must not be empty."}]}
                """#, status: 422, ["Content-Type": "application/problem+json; charset=utf-8"])
        }

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(error?.problem?.name == "validation")
        #expect(error?.problem?.errors == [.init(field: "name", detail: "It must not be empty.")])
        #expect(error?.errorCode == nil)
        #expect(error?.problem?.extensions == [:])
    }

    @Test("The members that a problem has beyond RFC 9457 are its extensions")
    func extensions() async throws {
        let client = try TestClient { _ in
            .json(
                #"{"title": "No credit.", "status": 403, "balance": 30, "accounts": ["/a/1"], "refresh_token": "r-1"}"#,
                status: 403, ["Content-Type": "application/problem+json"])
        }

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(
            error?.problem?.extensions == ["accounts": ["/a/1"], "balance": 30, "refresh_token": "(hidden)"])
        let told = await #expect(throws: ServiceError.self) { try await row(of: client.manager) }
        #expect(told?.code == "noCredit")
        #expect(told?.message == "Your account has 30 left.")
    }

    /// The example of Docs/apis.md.
    private func row(of api: any APIClient) async throws -> Row {
        do {
            return try await api.request(.row(1))
        } catch let error as APIError where error.status == 403 {
            guard case .integer(let balance)? = error.problem?.extensions["balance"] else { throw error }
            throw ServiceError("noCredit", "Your account has \(balance) left.", cause: error)
        }
    }

    @Test("An error has the answer that it was made of")
    func answer() async throws {
        let client = try TestClient(configure: { $0.retry.attempts = 1 }) { request in
            request.url.hasSuffix("/2")
                ? .json(#"{"errorCode": 7, "errorMsg": "No."}"#, ["X-Shop": "closed"])
                : .json(
                    #"{"reason": "stock", "left": 0}"#, status: 409, ["X-Shop": "open", "Set-Cookie": "id=1"])
        }

        let refused = await failure { try await client.manager.request(.row(1)) }
        let coded = await failure { try await client.manager.request(.row(2)) }

        #expect(refused?.answer?.body == #"{"reason": "stock", "left": 0}"#)
        #expect(refused?.answer?.fields["X-Shop"] == "open")
        #expect(refused?.answer?.fields["Set-Cookie"] == "(hidden)")
        #expect(coded?.answer?.body == #"{"errorCode": 7, "errorMsg": "No."}"#)
        #expect(coded?.answer?.fields["X-Shop"] == "closed")
    }

    @Test("Of a long answer an error keeps the start; without an answer it has none")
    func longAnswer() async throws {
        let client = try TestClient(configure: { $0.retry.attempts = 1 }) { request in
            if request.url.hasSuffix("/2") { throw TransportError(.serverUnreachable, "It is off.") }
            return HTTPResponse(status: 400, body: [UInt8](repeating: 97, count: 100_000))
        }

        let long = await failure { try await client.manager.request(.row(1)) }
        let none = await failure { try await client.manager.request(.row(2)) }

        #expect(long?.answer?.body == String(repeating: "a", count: 16 * 1024))
        #expect(none != nil && none?.answer == nil)
    }

    @Test("A sign-in that could not be renewed has the answer of its server")
    func renewal() async throws {
        let client = try TestClient(tokens: .sample(), configure: { $0.retry.attempts = 1 }) { request in
            request.isForTokens ? .json(#"{"reason": "down"}"#, status: 500) : .json("{}", status: 401)
        }

        let error = await failure { try await client.manager.request(.row(1, access: .required)) }

        #expect(error?.message.hasPrefix("The sign-in could not be renewed.") == true)
        #expect(error?.answer?.body == #"{"reason": "down"}"#)
    }

    @Test(
        "The sentence of a body in another form is in the message",
        arguments: [
            (#"{"detail": "Not found."}"#, "Not found."), (#"{"message": "It is closed"}"#, "It is closed."),
            (#"{"error": "Not Found", "message": "There is no row 1"}"#, "There is no row 1."),
            (#"{"error": "Not Found", "status": 404}"#, "Not Found."),
            (#"{"error": {"code": 7, "message": "It is closed."}}"#, "It is closed."),
            (#"{"error": "invalid_request", "error_description": "No token"}"#, "No token."),
            (#""It is closed""#, "It is closed."), (#"{"errors": ["It is closed"]}"#, "It is closed."),
        ])
    func otherForms(body: String, sentence: String) async throws {
        let client = try TestClient { _ in .json(body, status: 400) }

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(error?.message == "GET v1/rows/:id was answered with status 400: \(sentence)")
    }

    @Test("The first line of a plain text is in the message; HTML is not")
    func plainText() async throws {
        @Sendable func answer(_ type: String) -> HTTPResponse {
            HTTPResponse(status: 404, fields: ["Content-Type": type], body: Array("\nGone\nfor good".utf8))
        }
        let text = try TestClient { _ in answer("text/plain; charset=utf-8") }
        let html = try TestClient { _ in answer("text/html") }

        let said = await failure { try await text.manager.request(.row(1)) }
        let silent = await failure { try await html.manager.request(.row(1)) }

        #expect(said?.message == "GET v1/rows/:id was answered with status 404: Gone.")
        #expect(silent?.message == "GET v1/rows/:id was answered with status 404.")
    }

    @Test(
        "The fields of other forms become findings with their names", arguments: [400, 422],
        [
            #"{"name": ["May not be blank."], "non_field_errors": ["It is full."]}"#,
            #"{"errors": {"name": ["May not be blank."], "base": ["It is full."]}}"#,
            #"{"errors": [{"field": "name", "message": "May not be blank."}, {"message": "It is full."}]}"#,
        ])
    func fields(status: Int, body: String) async throws {
        let client = try TestClient { _ in .json(body, status: status) }

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(
            Set(error?.validationError?.findings ?? []) == [
                ValidationFinding("name: May not be blank.", field: "name"), ValidationFinding("It is full."),
            ])
        #expect(error?.message.contains("status \(status): ") == true)
        #expect(error?.message.contains("name: May not be blank.") == true)
    }

    @Test(
        "The shapes of common backends become findings",
        arguments: [
            (
                "FastAPI", "application/json",
                #"{"detail": [{"type": "missing", "loc": ["body", "name"], "msg": "Field required"}]}"#,
                "name: Field required", "name"
            ),
            (
                "FastAPI, nested", "application/json",
                #"{"detail": [{"loc": ["body", "items", 0, "qty"], "msg": "Input should be greater than 0"}]}"#,
                "items[0].qty: Input should be greater than 0", "items[0].qty"
            ),
            (
                "Django, nested", "application/json", #"{"address": {"city": ["May not be blank."]}}"#,
                "address.city: May not be blank.", "address.city"
            ),
            (
                "Django, of a list", "application/json", #"{"items": [{}, {"qty": ["Not a number."]}]}"#,
                "items[1].qty: Not a number.", "items[1].qty"
            ),
            (
                "Django, nested whole", "application/json",
                #"{"address": {"non_field_errors": ["It is far."]}}"#,
                "address: It is far.", "address"
            ),
            (
                "ASP.NET", "application/problem+json",
                #"{"title": "One or more validation errors occurred.", "errors": {"Name": ["The Name field is required."]}}"#,
                "The Name field is required.", "name"
            ),
            (
                "ASP.NET, path", "application/problem+json",
                #"{"title": "x", "errors": {"$.Address.Street": ["No number."]}}"#,
                "address.street: No number.", "address.street"
            ),
            (
                "RFC 9457", "application/problem+json",
                ##"{"title": "x", "errors": [{"detail": "must be positive", "pointer": "#/order/0/age"}]}"##,
                "order[0].age: must be positive", "order[0].age"
            ),
            (
                "OData", "application/json",
                #"{"error": {"code": "400", "message": "x", "details": [{"target": "Address/City", "message": "Empty"}]}}"#,
                "Address.City: Empty", "Address.City"
            ),
            (
                "JSON:API", "application/vnd.api+json",
                #"{"errors": [{"title": "Invalid", "detail": "is empty", "source": {"pointer": "/data/attributes/name"}}]}"#,
                "name: is empty", "name"
            ),
            (
                "JSON:API, the whole", "application/vnd.api+json",
                #"{"errors": [{"title": "It is closed", "source": {"pointer": "/data"}}]}"#, "It is closed",
                nil
            ),
            (
                "JSON:API, a parameter", "application/vnd.api+json",
                #"{"errors": [{"detail": "is no number", "source": {"parameter": "page"}}]}"#,
                "page: is no number", "page"
            ),
        ] as [(String, String, String, String, String?)])
    func shapes(name: String, type: String, body: String, text: String, field: String?) async throws {
        let client = try TestClient { _ in .json(body, status: 422, ["Content-Type": type]) }

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(error?.validationError?.findings == [ValidationFinding(text, field: field)], "\(name)")
    }

    @Test("Sentences of such bodies are told without fields too, and large ones are cut")
    func boundedShapes() async throws {
        let item =
            #"{"detail": "\#(String(repeating: "long ", count: 200_000))", "source": {"pointer": "/x"}}"#
        let deep = String(repeating: #"{"a": "#, count: 40) + #"["x"]"# + String(repeating: "}", count: 40)
        let many = Array(repeating: "\"many\"", count: 10_000).joined(separator: ",")
        let bodies = [
            #"{"errors": [\#(item)]}"#,
            #"{"errors": [\#(many)]}"#, deep,
            #"{"errors": [{"title": "It is closed"}]}"#,
            #"{"error": {"message": {"value": "It is closed"}}}"#,
            #"{"detail": {"message": "It is closed"}}"#,
        ]

        for (body, count) in zip(bodies, [1, 100, 0, 1, 0, 0]) {
            let client = try TestClient { _ in .json(body, status: 422) }
            let error = await failure { try await client.manager.request(.row(1)) }
            #expect(error?.problem?.errors.count ?? 0 == count, "\(body.prefix(80))")
            #expect((error?.message.count ?? 0) < 3_000)
        }
        for body in bodies.suffix(3) {
            let client = try TestClient { _ in .json(body, status: 403) }
            let error = await failure { try await client.manager.request(.row(1)) }
            #expect(error?.message == "GET v1/rows/:id was answered with status 403: It is closed.")
        }
    }

    @Test(
        "An errorCode other than 0 is an error under any status, with its handler as the cause",
        arguments: [200, 409])
    func errorCode(status: Int) async throws {
        let client = try TestClient { _ in
            .json(#"{"errorCode": 4711, "errorMsg": "The warehouse is closed"}"#, status: status)
        }

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(error?.errorCode == 4711)
        #expect(error?.code == .serverError)
        #expect(
            error?.cause as? ResponseErrorHandler
                == ResponseErrorHandler(
                    errorMsg: "The warehouse is closed", errorCode: 4711, statusCode: status))
        #expect(error?.message.hasSuffix("The warehouse is closed.") == true)
    }

    @Test("An errorCode of 0, or a nested one, is not an error")
    func noErrorCode() async throws {
        let client = try TestClient { _ in
            .json(#"{"id": 1, "name": "errorCode \"C\" C", "errorCode": 0, "more": {"errorCode": 7}}"#)
        }

        #expect(try await client.manager.request(.row(1)).id == 1)
    }

    @Test(
        "A body that can't be decoded is reported with the endpoint, the path of the field and what is wrong",
        arguments: [
            (#"{"rows": [{"id": 1, "name": "a"}, {"id": 2}]}"#, "'rows[1].name' is missing."),
            (#"{"rows": [{"id": "1", "name": "a"}]}"#, "'rows[0].id' is not a whole number."),
            (#"{"rows": [{"id": 1, "name": null}]}"#, "'rows[0].name' is null instead of a text."),
            (#"{"rows": [{"id": 1, "name": 7}]}"#, "'rows[0].name' is not a text."),
            (#"{"rows": {}}"#, "'rows' is not a list."),
            (#"{"rows": null}"#, "'rows' is null instead of a list."),
            (#"[]"#, "the body is not an object."),
            (#"{"rows": [{"id": 1, "na"#, "the body is not valid JSON."),
            (#"{}"#, "'rows' is missing."),
            (#"{"rows": [], "kind": "secret-value"}"#, "'kind' has a value that is not allowed there."),
            (#"{"rows": [], "isOpen": 7}"#, "'isOpen' is not true or false."),
            (#"{"rows": [], "ratio": "x"}"#, "'ratio' is not a number."),
        ])
    func undecodable(body: String, what: String) async throws {
        let client = try TestClient { _ in .json(body) }

        let error = await failure { try await client.manager.request(Endpoint<Page>(.get, "v1/rows")) }

        #expect(error?.code == .invalidResponse)
        #expect(error?.message == "GET v1/rows returned an invalid response: \(what)")
        #expect(error?.hint == "api")
        #expect(error?.status == 200)
        #expect(await client.manager.metrics.endpoints[0].errors == 1)
    }

    @Test(
        "So is a record that can't be read",
        arguments: [
            ("[]", "the body is not an object."), ("{}", "'id' is missing."),
            (#"{"id": 0, "name": "a"}"#, "'id' has a value that is not allowed there."),
            (#"{"id": "x", "name": "a"}"#, "'id' has a value that is not allowed there."),
            (#"{"id": 1}"#, "'name' is missing."),
            (#"{"id": 1, "name": ["secret-value"]}"#, "'name' has a value that is not allowed there."),
            (#"{"id": 1, "na"#, "the body is not valid JSON."),
        ])
    func unreadableRecord(body: String, what: String) async throws {
        let client = try TestClient { _ in .json(body) }
        let service = ResourceRecordService<Shelf>(api: client.manager, path: "v1/shelves")
        let list = try TestClient { _ in .json(#"{"rows": [\#(body)], "total": 1}"#) }
        let listing = ResourceRecordService<Shelf>(api: list.manager, path: "v1/shelves")

        let error = await failure { try await service.record(1) }
        let inList = await failure { try await listing.page(RecordQuery()) }

        #expect(error?.code == .invalidResponse)
        #expect(error?.message == "GET v1/shelves/:id returned an invalid response: \(what)")
        #expect(
            inList?.message.hasSuffix(
                what.replacing("the body is not an", with: "'rows[0]' is not an").replacing(
                    "'id'", with: "'rows[0].id'"
                )
                .replacing("'name'", with: "'rows[0].name'")) == true, "\(inList?.message ?? "none")")
    }

    @Test("A body that is empty or not JSON is an error; one without a type is read as JSON")
    func wrongType() async throws {
        let html = HTTPResponse(status: 200, fields: ["Content-Type": "text/HTML; charset=utf-8"], body: [60])
        let turns = Turns([
            .success(html), .success(HTTPResponse(status: 200)),
            .success(HTTPResponse(status: 200, fields: [:], body: Array(#"{"id": 1, "name": ""}"#.utf8))),
        ])
        let client = try TestClient { _ in try turns.next() }

        #expect(
            await failure { try await client.manager.request(.row(1)) }?.message
                == "GET v1/rows/:id returned an invalid response: text/html instead of JSON.")
        #expect(
            await failure { try await client.manager.request(.row(1)) }?.message
                == "GET v1/rows/:id returned an invalid response: an empty body instead of JSON.")
        #expect(
            try await client.manager.request(.row(1)).id == 1,
            "A response without a content type may be JSON.")
    }

    @Test("An endpoint without a response type accepts any body", arguments: ["", "<html>", "{}"])
    func noAnswer(body: String) async throws {
        let client = try TestClient { _ in HTTPResponse(status: 204, body: Array(body.utf8)) }

        _ = try await client.manager.request(Endpoint<NoAnswer>(.delete, "v1/rows/1"))
    }

    @Test("An empty answer is nil where the answer is optional", arguments: [200, 204])
    func emptyAnswer(status: Int) async throws {
        let client = try TestClient { $0.method == .delete ? HTTPResponse(status: status) : .row }

        let nothing = try await client.manager.request(Endpoint<Row?>(.delete, "v1/rows/1"))
        let row = try await client.manager.request(Endpoint<Row?>(.get, "v1/rows/1"))

        #expect(nothing == nil)
        #expect(row?.id == 1)
    }

    @Test("Invalid tokens in a token response are an error")
    func tokens() async throws {
        let client = try TestClient { _ in .json(#"{"access_token": "a b"}"#) }

        let error = await failure {
            try await client.manager.obtainTokens(.password(username: "ada", password: "x"))
        }

        #expect(
            error?.message
                == "POST oauth/token returned an invalid response: "
                + "'access_token' is not a valid bearer token.")
    }

    @Test("A wrong password is told as such, whatever the status", arguments: [400, 401])
    func wrongPassword(status: Int) async throws {
        let client = try TestClient { _ in
            .json(#"{"error": "invalid_grant", "error_description": "Wrong password"}"#, status: status)
        }

        let error = await failure {
            try await client.manager.obtainTokens(.password(username: "ada", password: "x"))
        }

        #expect(error?.code == .invalidGrant)
        #expect(error?.message == "The server refuses the credentials. Wrong password.")
        #expect(error?.status == status)
    }

    @Test("Durations and sizes in messages")
    func words() {
        #expect(APIErrors.seconds(.seconds(15)) == "15 seconds")
        #expect(APIErrors.seconds(.seconds(1)) == "1 second")
        #expect(APIErrors.seconds(.milliseconds(1_250)) == "1.3 seconds")
        #expect(APIErrors.seconds(.milliseconds(20)) == "0.1 seconds")
        #expect(APIErrors.bytes(16 << 20) == "16 MiB")
        #expect(APIErrors.bytes(2_048) == "2 KiB")
        #expect(APIErrors.bytes(700) == "700 bytes")
    }

    struct Page: Decodable, Sendable {
        enum Kind: String, Decodable { case open }
        let rows: [Row]
        let kind: Kind?
        let isOpen: Bool?
        let ratio: Double?
    }
}

struct TransportCase: Sendable, CustomTestStringConvertible {
    let error: TransportError
    let message: String
    let hint: String
    var endpoint: Endpoint<Row> = .row(1)
    var testDescription: String { "\(error.code) of \(endpoint.call.method)" }

    private static let again = "Enter the same command again."

    static let all = [
        TransportCase(
            error: TransportError(.serverUnreachable, "x", neverSent: true),
            message: "GET v1/rows/:id failed: the server at http://server.test can't be reached.",
            hint: "Start the server, then enter the same command again."),
        TransportCase(
            error: TransportError(.connectionLost, "x"),
            message:
                "GET v1/rows/:id failed: the connection to http://server.test ended before the answer did.",
            hint: again),
        TransportCase(
            error: TransportError(.connectionLost, "x"),
            message: "POST v1/rows failed: the connection to http://server.test ended before the answer did. "
                + "It is not known whether the request was performed.",
            hint: "Check whether it was performed before you enter the same command again.",
            endpoint: .create(Row(id: 1, name: ""))),
        TransportCase(
            error: TransportError(.timedOut, "x"),
            message:
                "GET v1/rows/:id failed: the server at http://server.test did not answer within 30 seconds.",
            hint: again),
        TransportCase(
            error: TransportError(.tlsRefused, "The certificate is not trusted.", neverSent: true),
            message: "GET v1/rows/:id failed: The certificate is not trusted.", hint: "api"),
        TransportCase(
            error: TransportError(.tlsRefused, "It has expired.", hint: "Renew it.", neverSent: true),
            message: "GET v1/rows/:id failed: It has expired.", hint: "Renew it."),
        TransportCase(
            error: TransportError(.answerTooLarge, "x"),
            message: "GET v1/rows/:id failed: the answer has more than 16 MiB.", hint: "api"),
        TransportCase(
            error: TransportError(.invalidResponse, "The answer is not HTTP."),
            message: "GET v1/rows/:id failed: The answer is not HTTP.", hint: again),
        TransportCase(
            error: TransportError(.requestFailed, "The disk is full."),
            message: "GET v1/rows/:id failed: The disk is full.", hint: again),
    ]
}

struct AnswerCase: Sendable, CustomTestStringConvertible {
    let response: HTTPResponse
    let code: ErrorCode
    let message: String
    let hint: String
    var testDescription: String { "\(response.status) \(code)" }

    private static let later = "Enter the same command again later, or see the server's responses with: api"

    static let errors = [
        AnswerCase(
            response: .unauthorized, code: .notAuthenticated,
            message: "GET v1/rows/:id was refused: the server requires a sign-in. Sign in.",
            hint: "session sign-in --email EMAIL"),
        AnswerCase(
            response: HTTPResponse(status: 401), code: .notAuthenticated,
            message: "GET v1/rows/:id was refused: the server requires a sign-in.",
            hint: "session sign-in --email EMAIL"),
        AnswerCase(
            response: HTTPResponse(status: 429), code: .rateLimited,
            message: "GET v1/rows/:id was refused: too many requests; the server asks to wait.",
            hint: "Wait, then enter the same command again."),
        AnswerCase(
            response: HTTPResponse(status: 500), code: .serverError,
            message: "GET v1/rows/:id was answered with status 500.", hint: later),
        AnswerCase(
            response: .json(
                #"{"type": "/problems/not-found", "detail": "There is no row 1"}"#, status: 404,
                ["Content-Type": "application/problem+json"]), code: .serverError,
            message: "GET v1/rows/:id was answered with status 404: There is no row 1.", hint: "api"),
        AnswerCase(
            response: .json(
                #"{"type": 7, "title": "Forbidden!"}"#, status: 403,
                ["Content-Type": "application/problem+json"]), code: .serverError,
            message: "GET v1/rows/:id was answered with status 403: Forbidden!", hint: "api"),
        AnswerCase(
            response: .json(#"{"errorCode": 4711, "errorMsg": "Closed."}"#, status: 409), code: .serverError,
            message: "GET v1/rows/:id was answered with status 409: Closed.", hint: "api"),
        AnswerCase(
            response: .json(#"{"errorCode": 4711, "errorMsg": "Closed."}"#), code: .serverError,
            message: "GET v1/rows/:id was answered with error 4711. Closed.", hint: "api"),
        AnswerCase(
            response: .json(#"{"errorCode": 4711}"#), code: .serverError,
            message: "GET v1/rows/:id was answered with error 4711.", hint: "api"),
        AnswerCase(
            response: HTTPResponse(status: 302, fields: ["Location": "http://elsewhere.test"]),
            code: .serverError, message: "GET v1/rows/:id was answered with status 302.", hint: "api"),
        AnswerCase(
            response: HTTPResponse(status: 304), code: .serverError,
            message: "GET v1/rows/:id was answered with status 304.", hint: "api"),
        AnswerCase(
            response: HTTPResponse(status: 502, body: Array("<html>".utf8)), code: .serverError,
            message: "GET v1/rows/:id was answered with status 502.", hint: later),
    ]
}

private struct Shelf: Record {
    var id = 0
    var name = ""

    static let fields: Fields<Shelf> = [RecordField("name", "Its name", \.name, .length(1...40))]
}
