import AtriumKit
import AtriumTesting
import Testing

@testable import AtriumNetworking

@Suite("A change that may have been performed stays unknown until an answer settles it")
struct UnknownOutcomeTests {
    private static let lost = Result<HTTPResponse, TransportError>.failure(
        TransportError(.connectionLost, "Closed."))
    private static let unknown =
        "POST v1/rows failed: the connection to http://server.test ended before the answer did. "
        + "It is not known whether the request was performed."

    @Test(
        "Whatever later attempts are answered, the outcome is unknown",
        arguments: [400, 401, 403, 404, 409, 412, 422])
    func refused(status: Int) async throws {
        let turns = Turns([Self.lost, .success(.json(#"{"detail": "No."}"#, status: status))])
        let client = try TestClient { _ in try turns.next() }

        let error = await failure { try await client.manager.request(.create(Row(id: 1, name: ""))) }

        #expect(error?.message == Self.unknown)
        #expect(error?.code == .connectionLost)
        #expect(error?.status == nil)
        #expect(error?.hint == "Check whether it was performed before you enter the same command again.")
        #expect((error?.cause as? APIError)?.status == status)
        #expect(error?.mayHaveChanged == true && error?.answerWasLost == true)
    }

    @Test("A server that can't be reached any more does not settle it")
    func unreachable() async throws {
        let gone = TransportError(.serverUnreachable, "Gone.", neverSent: true)
        let turns = Turns([Self.lost, .failure(gone), .failure(gone), .failure(gone)])
        let client = try TestClient { _ in try turns.next() }

        let error = await failure { try await client.manager.request(.create(Row(id: 1, name: ""))) }

        #expect(error?.message == Self.unknown)
        #expect(client.transport.requests.count == 4)
    }

    @Test("An answer to a later attempt settles it")
    func settled() async throws {
        let turns = Turns([Self.lost, .success(.row)])
        let client = try TestClient { _ in try turns.next() }

        #expect(try await client.manager.request(.create(Row(id: 1, name: ""))).id == 1)
    }

    @Test("A gateway that has lost the answer leaves it unknown, too", arguments: [502, 504])
    func gateway(status: Int) async throws {
        let turns = Turns([.success(.json("", status: status)), .success(.json("", status: 409))])
        let client = try TestClient { _ in try turns.next() }

        let error = await failure { try await client.manager.request(.create(Row(id: 1, name: ""))) }

        #expect(
            error?.message
                == "POST v1/rows was answered with status \(status). "
                + "It is not known whether the request was performed.")
    }

    @Test("A change that never arrived, and a read, are not in doubt")
    func certain() async throws {
        let never = TransportError(.serverUnreachable, "", neverSent: true)
        let turns = Turns([.failure(never), .success(.json("", status: 409))])
        let reads = Turns([Self.lost, .success(.json("", status: 404))])
        let client = try TestClient { try $0.method == .get ? reads.next() : turns.next() }

        let change = await failure { try await client.manager.request(.create(Row(id: 1, name: ""))) }
        let read = await failure { try await client.manager.request(.row(1)) }

        #expect(change?.message == "POST v1/rows was answered with status 409.")
        #expect(read?.message == "GET v1/rows/:id was answered with status 404.")
    }

    @Test("A redirect of a change is told as such")
    func redirected() async throws {
        let client = try TestClient { _ in
            throw TransportError(.redirected, "POST x was redirected.", hint: "Set it.", neverSent: true)
        }

        let error = await failure { try await client.manager.request(.create(Row(id: 1, name: ""))) }

        #expect(error?.code == .redirected)
        #expect(error?.message == "POST v1/rows failed: POST x was redirected.")
        #expect(error?.hint == "Set it.")
        #expect(client.transport.requests.count == 1)
    }
}
