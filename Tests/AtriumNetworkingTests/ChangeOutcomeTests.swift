@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import AtriumNetworking

@Suite("What became of a change that ended with an error")
struct ChangeOutcomeTests {
    private static func outcome(
        _ turns: [Result<HTTPResponse, TransportError>], tokens: AccessTokens? = nil,
        access: APIAccess = .optional
    ) async throws -> APIError? {
        let turns = Turns(turns)
        let client = try TestClient(tokens: tokens) { _ in try turns.next() }
        let endpoint = Endpoint<Row>(.post, "v1/rows", body: .json(Row(id: 1, name: "")), access: access)
        return await failure { try await client.manager.request(endpoint) }
    }

    @Test(
        "A status settles it, or leaves it unknown, and the hint follows",
        arguments: [301, 302, 307, 308, 400, 403, 404, 408, 409, 412, 422, 429, 499]
            + [500, 501, 502, 503, 504, 520, 521, 522, 523, 524, 599])
    func statuses(_ status: Int) async throws {
        let isUnknown = status < 400 || status >= 500 || status == 408 || status == 499

        let error = try await Self.outcome([.success(.json("{}", status: status))])

        #expect(error?.outcome == (isUnknown ? .unknown : .notMade))
        #expect(error?.message.contains("It is not known whether the request was performed.") == isUnknown)
        #expect(error?.status == status)
        if isUnknown { #expect(error?.hint?.hasPrefix("Check whether it was performed") == true) }
    }

    @Test("Status 303 says that it was made, whatever comes with it")
    func made() async throws {
        let turns = Turns([.success(HTTPResponse(status: 303, fields: ["Location": "http://other.test/"]))])
        let client = try TestClient { _ in try turns.next() }

        let error = await failure { try await client.manager.request(.create(Row(id: 1, name: ""))) }
        _ = try await client.manager.request(Endpoint<NoAnswer>(.post, "v1/rows"))
        let nothing = try await client.manager.request(Endpoint<Row?>(.delete, "v1/rows/:id", ["id": "1"]))

        #expect(error?.outcome == .made && error?.hint == nil)
        #expect(error?.message == "POST v1/rows was performed; the server shows its result elsewhere.")
        #expect(nothing == nil)
        #expect(client.transport.requests.count == 3)
    }

    @Test("What failed before anything was sent was not made")
    func notSent() async throws {
        let never = TransportError(.serverUnreachable, "Gone.", neverSent: true)
        let renewal = Result<HTTPResponse, TransportError>.success(.json(#"{"token_type": "Bearer"}"#))

        let unreachable = try await Self.outcome([.failure(never)])
        let notRenewed = try await Self.outcome([renewal], tokens: .expired, access: .required)
        let notSignedIn = try await Self.outcome([.success(.row)], access: .required)

        for error in [unreachable, notRenewed, notSignedIn] {
            #expect(error?.outcome == .notMade, "\(error?.message ?? "-")")
            #expect(error?.answerWasLost == false && error?.mayHaveChanged == false)
        }
    }

    @Test("A body that can't be read does not settle it")
    func unreadable() async throws {
        #expect(try await Self.outcome([.success(.json("<html>"))])?.outcome == .unknown)
        #expect(try await Self.outcome([.success(.json(#"{"errorCode": 1}"#))])?.outcome == .notMade)
    }

    @Test("A change that is cancelled after it was sent is unknown, a read is cancelled")
    func cancelled() async throws {
        let client = try TestClient { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            throw CancellationError()
        }
        let manager = client.manager

        let error = await Task { await failure { try await manager.request(.create(Row(id: 1, name: ""))) } }
            .value

        #expect(error?.code == .cancelled && error?.category == .cancelled && error?.outcome == .unknown)
        await #expect(throws: CancellationError.self) {
            try await Task { try await manager.request(.row(1)) }.value
        }
    }
}
