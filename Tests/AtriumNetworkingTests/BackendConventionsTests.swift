import AtriumTesting
import Foundation
import Testing

@testable @_spi(Host) import AtriumKit
@testable import AtriumNetworking

/// What ordinary backends need beyond paths and names.
@Suite("The conventions of ordinary backends")
struct BackendConventionsTests {
    /// A client of an API with other conventions.
    private func client(
        _ change: @escaping (inout APIConventions) -> Void, _ reply: @escaping ScriptedTransport.Reply
    ) throws -> TestClient {
        try TestClient(tokens: .sample(), configure: { change(&$0.conventions) }, reply)
    }

    @Test(
        "With a grant, a status refuses credentials unless the body names another error of OAuth",
        arguments: [
            (401, #"{"detail": "No such account: pw."}"#, true), (400, #"{"error": "Wrong password"}"#, true),
            (401, "Wrong password", true), (400, "<html>", false), (403, "{}", false), (422, "{}", false),
            (401, #"{"error": "invalid_client"}"#, false), (400, #"{"error": "invalid_request"}"#, false),
            (400, #"{"error": "invalid_grant"}"#, true),
        ])
    func refusedGrant(status: Int, body: String, isRefused: Bool) async throws {
        let client = try TestClient { _ in .json(body, status: status, ["Content-Type": "text/plain"]) }
        let renewing = try TestClient(tokens: .expired) { _ in .json(body, status: status) }

        let error = await failure {
            try await client.manager.obtainTokens(.password(username: "ada", password: "pw"))
        }
        let renewal = await failure { try await renewing.manager.request(.row(1, access: .required)) }

        #expect((error?.code == .invalidGrant) == isRefused, "\(String(describing: error))")
        #expect((renewing.store.stored == nil) == isRefused)
        #expect(renewal != nil)
    }

    @Test("Requests for tokens have further members and the client's name and password")
    func tokenMembers() async throws {
        setenv("ATRIUM_TEST_SECRET", "s3cr/et", 1)
        let client = try client {
            $0.authorization.members = ["scope": "read write", "client_id": "web"]
            $0.authorization.clientID = "we:b"
            $0.authorization.clientSecret = "@env:ATRIUM_TEST_SECRET"
        } _: { request in
            request.url.hasSuffix("/revoke")
                ? .json(#"{"detail": "\#(request.fields["Authorization"] ?? "")"}"#, status: 500) : .tokens(2)
        }

        let tokens = try await client.manager.obtainTokens(.password(username: "ada", password: "pw"))
        try await client.manager.use(.expired)
        _ = await failure { try await client.manager.request(.row(1, access: .required)) }
        let error = await failure { try await client.manager.revoke(tokens) }

        let requests = client.transport.requests.filter { $0.url.contains("/oauth/") }
        #expect(
            requests.prefix(2).map(\.text) == [
                "grant_type=password&username=ada&password=pw&client_id=web&scope=read+write",
                "grant_type=refresh_token&refresh_token=refresh-ada-1&client_id=web&scope=read+write",
            ])
        let basic = "Basic " + Data("we%3Ab:s3cr%2Fet".utf8).base64EncodedString()
        #expect(requests.allSatisfy { $0.fields["Authorization"] == basic } && requests.count >= 3)
        #expect(error?.message.contains("Basic") == true && error?.message.contains(basic) == false)
    }

    @Test("Each request has the header fields of the API, whose keys stay secret")
    func headers() async throws {
        setenv("ATRIUM_TEST_KEY", "k-1", 1)
        let client = try client {
            $0.headers = ["X-API-Key": "@env:ATRIUM_TEST_KEY", "X-Tenant": "books", "X-Shop-Key": "abcdefgh"]
        } _: { request in
            .json(#"{"detail": "k-1 abcdefgh books"}"#, status: 409)
        }

        let error = await failure { try await client.manager.request(.row(1)) }

        let request = client.transport.requests[0]
        let sent = ["X-API-Key", "X-Tenant", "X-Shop-Key"].map { request.fields[$0] }
        #expect(sent == ["k-1", "books", "abcdefgh"])
        #expect(request.credentialFields.contains("X-Shop-Key"))
        #expect(error?.message.hasSuffix(": (hidden) (hidden) books.") == true)
        let names = APIConventions { $0.headers = ["X-A": "@env:ATRIUM_NONE", "X-B": "b"] }.missingVariables
        #expect(names.map(\.member) == ["headers.X-A"] && names.map(\.name) == ["ATRIUM_NONE"])
    }

    @Test(
        "Paths have the prefix of the API, and a slash at their end",
        arguments: [
            ("v1", false, "/v1/rows/1"), ("api/v2", false, "/api/v2/rows/1"), (nil, false, "/rows/1"),
            (nil, true, "/rows/1/"), ("v1", true, "/v1/rows/1/"),
        ] as [(String?, Bool, String)])
    func paths(prefix: String?, endsWithSlash: Bool, path: String) async throws {
        let client = try client {
            ($0.prefix, $0.endsPathsWithSlash) = (prefix, endsWithSlash)
        } _: {
            $0.isForTokens ? .tokens(1) : .row
        }

        _ = try await client.manager.request(.row(1))
        _ = try await client.manager.request(Endpoint<Row>(.get, "v10/rows"))
        _ = try await client.manager.obtainTokens(.password(username: "ada", password: "pw"))

        let slash = endsWithSlash ? "/" : ""
        #expect(
            client.transport.requests.map(\.url)
                == [path, "/v10/rows\(slash)", "/oauth/token"].map { "http://server.test\($0)" })
    }

    @Test("An answer is in its envelope, but for pages and tokens")
    func envelope() async throws {
        let client = try client {
            $0.envelopeMember = "data.row"
        } _: { request in
            if request.isForTokens { return .tokens(1) }
            if request.url.hasSuffix("/none") { return .json(#"{"data": {}}"#) }
            let row = #"{"id": 1, "name": "a"}"#
            return .json(
                request.url.hasSuffix("/rows")
                    ? #"{"rows": [\#(row)], "total": 1}"# : #"{"data": {"row": \#(row)}}"#, ["ETag": "\"1\""])
        }

        #expect(try await client.manager.request(.row(1)) == Row(id: 1, name: "a"))
        let answered = try await client.manager.request(Endpoint<Answered<Row>>(.get, "v1/rows/1"))
        #expect(answered.value.id == 1 && answered.fields["ETag"] == "\"1\"")
        #expect(try await client.manager.request(Endpoint<APIPage<Row>>(.get, "v1/rows")).rows.count == 1)
        #expect(try await client.manager.request(Endpoint<Row?>(.get, "none")) == nil)
        #expect(
            await failure { try await client.manager.request(Endpoint<Row>(.get, "none")) }?.message
                == "GET none returned an invalid response: 'data.row' is missing.")
        _ = try await client.manager.obtainTokens(.password(username: "ada", password: "pw"))
    }

    private static let moment = Timestamp(microseconds: 1_764_456_426_000_000)

    @Test(
        "Times have the form of the API, in answers and requests",
        arguments: [
            (APIConventions.Times.rfc3339, #""2025-11-29T22:47:06Z""#, #""2025-11-29T22:47:06.000000Z""#),
            (.utc, #""2025-11-29T22:47:06""#, #""2025-11-29T22:47:06.000000Z""#),
            (.utc, #""2025-11-29T23:47:06+01:00""#, #""2025-11-29T22:47:06.000000Z""#),
            (.seconds, "1764456426", "1764456426"), (.seconds, "1764456426.0", "1764456426"),
            (.milliseconds, "1764456426000", "1764456426000"),
        ])
    func times(form: APIConventions.Times, read: String, written: String) async throws {
        let client = try client {
            $0.times = form
        } _: { _ in
            .json(#"{"id": 1, "name": "a", "madeAt": \#(read)}"#)
        }
        let service = ResourceRecordService<Timed>(api: client.manager, path: "v1/shelves")

        let answer = try await client.manager.request(
            Endpoint<TimedAnswer>(.post, "v1/rows", body: .json(["madeAt": Self.moment])))
        let record = try await service.record(1)
        _ = try await service.create(Timed(id: 1, name: "a", madeAt: Self.moment))

        #expect(answer.madeAt == Self.moment && record.madeAt == Self.moment)
        #expect(client.transport.requests[0].text == #"{"madeAt":\#(written)}"#)
        #expect(client.transport.requests[2].text == #"{"madeAt":\#(written),"name":"a"}"#)
    }

    @Test("A time of another form, or out of range, is an invalid answer")
    func wrongTimes() async throws {
        let bodies: [(APIConventions.Times, String)] = [
            (.seconds, #""2025-11-29T22:47:06Z""#), (.utc, "1764456426"), (.utc, #""2025-11-29""#),
            (.seconds, "1e300"), (.milliseconds, "9223372036854775807"),
            (.rfc3339, #""2025-11-29T22:47:06""#),
        ]
        for (form, body) in bodies {
            let client = try client {
                $0.times = form
            } _: { _ in
                .json(#"{"madeAt": \#(body)}"#)
            }
            let error = await failure { try await client.manager.request(Endpoint<TimedAnswer>(.get, "x")) }
            #expect(
                error?.message.contains("'madeAt' has a value that is not allowed there.") == true, "\(body)")
        }
    }

    @Test("With PUT, a record is read and sent whole, with the members that only the server knows")
    func put() async throws {
        let client = try client {
            $0.updateMethod = .put
        } _: { _ in
            .json(#"{"id": 1, "name": "a", "madeAt": null, "more": [1]}"#, ["ETag": "\"7\""])
        }
        let service = ResourceRecordService<Timed>(api: client.manager, path: "v1/shelves")
        let former = Timed(id: 1, name: "a")

        _ = try await service.update(1, RecordChanges(to: Timed(id: 1, name: "b"), from: former))

        let requests = client.transport.requests
        #expect(requests.map(\.method) == [.get, .put])
        #expect(requests[1].text == #"{"id":1,"madeAt":null,"more":[1],"name":"b"}"#)
        #expect(requests[1].fields["If-Match"] == "\"7\"")
    }

    @Test("The id of a user may be a number", arguments: ["7", "\"7\""])
    func userID(id: String) throws {
        let json = Data(#"{"id": \#(id), "email": "ada@example.com"}"#.utf8)

        #expect(try JSONDecoder().decode(SessionUser.self, from: json).id == "7")
    }

    private struct TimedAnswer: Decodable, Sendable {
        let madeAt: Timestamp
    }

    private struct Timed: Record {
        var id = 0
        var name = ""
        var madeAt: Timestamp?

        static let link = "timed"
        static let fields: Fields<Timed> = [
            RecordField("name", "Its name", \.name, .length(1...100)),
            RecordField("madeAt", "When it was made", \.madeAt),
        ]
    }
}
