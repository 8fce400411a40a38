import AtriumKit
import AtriumTesting
import Testing

@testable import AtriumNetworking

/// Results keep the order of the input, and a failure affects its own result only.
@Suite("Batches of requests")
struct BatchTests {
    @Test("Results have the order of the input, whatever the order of responses")
    func order() async throws {
        let client = try TestClient { request in .json(#"{"id": \#(request.url.last!), "name": ""}"#) }
        client.transport.hold()
        let batch = Task { try await client.manager.batch((0..<4).map { .row($0) }, width: 4) }
        await client.transport.waitUntilHeld(4)

        for _ in 0..<4 { client.transport.releaseOne(at: client.transport.held.count - 1) }

        #expect(try await batch.value.map { try $0.get().id } == [0, 1, 2, 3])
    }

    @Test("At most `width` requests are in flight")
    func width() async throws {
        let client = try TestClient { _ in .row }
        client.transport.hold()
        let batch = Task { try await client.manager.batch((0..<10).map { .row($0) }, width: 3) }

        for done in 0..<8 {
            await client.transport.waitUntilHeld(3)
            #expect(client.transport.requests.count == 3 + done)
            if done < 7 { client.transport.releaseOne() }
        }
        client.transport.release()

        #expect(try await batch.value.count == 10)
    }

    @Test("A failure affects one result only")
    func partialFailure() async throws {
        let client = try TestClient { $0.url.hasSuffix("/1") ? .json("", status: 404) : .row }

        let outcomes = try await client.manager.batch((0..<3).map { .row($0) }, width: 2)

        #expect(outcomes.map { (try? $0.get()) == nil } == [false, true, false])
        #expect(throws: APIError.self) { try outcomes[1].get() }
    }

    @Test("Cancelling a batch cancels requests in flight and sends no more")
    func cancelled() async throws {
        let client = try TestClient { _ in .row }
        client.transport.hold()
        let batch = Task { try await client.manager.batch((0..<10).map { .row($0) }, width: 3) }
        await client.transport.waitUntilHeld(3)

        batch.cancel()

        await #expect(throws: CancellationError.self) { try await batch.value }
        #expect(client.transport.requests.count == 3)
        #expect(client.transport.held.isEmpty)
    }

    @Test("An empty batch has no results; a width below one counts as one")
    func edges() async throws {
        let client = try TestClient { _ in .row }

        #expect(try await client.manager.batch([Endpoint<Row>](), width: 3).isEmpty)
        #expect(try await client.manager.batch([.row(1), .row(2)], width: 0).count == 2)
    }
}
