import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Time limits of operations")
@MainActor
struct TimeLimitTests {
    @Test("The result of the operation is returned")
    func ends() async throws {
        let value = try await withTimeLimit(.seconds(3_600), of: "It") {
            await Task.yield()
            return 7
        }

        #expect(value == 7)
    }

    @Test("An operation that does not suspend ends before other tasks run")
    func immediate() async throws {
        var turns = 0
        let other = Task { turns += 1 }

        let value = try await withTimeLimit(.seconds(3_600), of: "It") { 7 }

        #expect(value == 7)
        #expect(turns == 0)
        await other.value
    }

    @Test("A cancelled caller does not start the operation")
    func cancelledBefore() async throws {
        var hasBegun = false
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await withTimeLimit(.seconds(3_600), of: "It") { hasBegun = true }
        }

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!hasBegun)
    }

    @Test("The error of the operation is rethrown")
    func fails() async throws {
        await #expect(throws: PlainFailure.self) {
            try await withTimeLimit(.seconds(3_600), of: "It") { throw PlainFailure() }
        }
    }

    @Test("An operation that exceeds the limit times out")
    func overdue() async throws {
        let turnstile = Turnstile()

        let error = await #expect(throws: ServiceError.self) {
            try await withTimeLimit(.zero, of: "The factory of Ink") { await turnstile.pass() }
        }
        turnstile.open()

        #expect(error?.code == "timedOut")
        #expect(error?.message == "The factory of Ink did not end within 0 s.")
    }

    @Test("A cancelled caller stops waiting for the operation")
    func cancelled() async throws {
        let turnstile = Turnstile()
        let task = Task {
            try await withTimeLimit(.seconds(3_600), of: "It") { await turnstile.pass() }
        }
        await turnstile.arrivals(1)

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        turnstile.open()
    }
}
