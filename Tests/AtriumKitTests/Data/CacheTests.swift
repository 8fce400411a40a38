@_spi(Host) import AtriumKit
import AtriumTesting
import TestSupport
import Testing

/// A source that counts its requests and answers each one when the test says so.
private actor Source {
    private(set) var asked = 0
    private(set) var cancelled = 0
    private var waiting: [Int: CheckedContinuation<String, any Error>] = [:]
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    func fetch() async throws -> String {
        asked += 1
        let number = asked
        for watcher in watchers where watcher.count <= asked { watcher.continuation.resume() }
        watchers.removeAll { $0.count <= asked }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting[number] = $0 }
        } onCancel: {
            Task { await self.cancel(number) }
        }
    }

    private func cancel(_ number: Int) {
        cancelled += 1
        waiting.removeValue(forKey: number)?.resume(throwing: CancellationError())
    }

    func answer(_ number: Int, _ result: Result<String, any Error>) {
        waiting.removeValue(forKey: number)?.resume(with: result)
    }

    func whenAsked(_ count: Int) async {
        guard asked < count else { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }
}

private struct Broken: Error, Equatable {}

@Suite("Cache")
struct CacheTests {
    private let clock = FixedClock()
    private let source = Source()
    private let cache: Cache<String, String>

    init() {
        cache = Cache(lifetime: .seconds(300), capacity: 3, clock: clock)
    }

    private func plain(_ answer: String, reloads: Bool = false) async throws -> String {
        try await cache.value("key", reloads: reloads) { answer }
    }

    @Test(
        "A value is cached for 300 seconds, then fetched again",
        arguments: [(299, "old"), (300, "new"), (301, "new")])
    func expiry(_ seconds: Int, _ expected: String) async throws {
        #expect(try await plain("old") == "old")

        clock.advance(seconds: seconds)

        #expect(try await plain("new") == expected)
        #expect(cache.cached("key") == expected)
    }

    @Test("A value is fetched again after the clock was set back")
    func clockSetBack() async throws {
        #expect(try await plain("old") == "old")

        clock.advance(seconds: -1)

        #expect(try await plain("new") == "new")
    }

    @Test("A reload fetches despite a fresh cached value, and caches the new one")
    func reload() async throws {
        _ = try await plain("old")

        #expect(try await plain("new", reloads: true) == "new")
        #expect(try await plain("newer") == "new")
        let statistics = cache.statistics
        #expect(statistics.hits == 1 && statistics.misses == 2)
    }

    @Test("Concurrent callers share one fetch and get its value")
    func singleFlight() async throws {
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask { [cache, source] in try await cache.value("key") { try await source.fetch() } }
            }
            await eventually("49 callers wait") { cache.statistics.joins == 49 }
            await source.answer(1, .success("one"))
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(values == Array(repeating: "one", count: 50))
        #expect(await source.asked == 1)
    }

    @Test("A failure reaches all waiting callers, is not cached, and leaves the old value")
    func failure() async throws {
        _ = try await plain("old")
        clock.advance(seconds: 300)
        let callers = (0..<2).map { _ in
            Task { [cache, source] in try await cache.value("key") { try await source.fetch() } }
        }
        await source.whenAsked(1)
        await eventually("a caller has joined") { cache.statistics.joins == 1 }

        await source.answer(1, .failure(Broken()))

        for caller in callers { await #expect(throws: Broken.self) { try await caller.value } }
        clock.advance(seconds: -300)
        #expect(cache.cached("key") == "old")
        clock.advance(seconds: 300)
        #expect(try await plain("new") == "new")
    }

    @Test("A value that is invalidated during its fetch is not cached, and later callers fetch again")
    func raceWithInvalidation() async throws {
        let first = Task { [cache, source] in try await cache.value("key") { try await source.fetch() } }
        await source.whenAsked(1)

        cache.invalidate("key")
        let second = Task { [cache, source] in try await cache.value("key") { try await source.fetch() } }
        await source.whenAsked(2)
        await source.answer(2, .success("after"))
        #expect(try await second.value == "after")
        await source.answer(1, .success("before"))

        #expect(try await first.value == "before")
        #expect(cache.cached("key") == "after")
    }

    @Test("Cancelling one caller does not cancel the fetch of the others")
    func cancelledCaller() async throws {
        let leaving = Task { [cache, source] in try await cache.value("key") { try await source.fetch() } }
        await source.whenAsked(1)
        let staying = Task { [cache, source] in try await cache.value("key") { try await source.fetch() } }
        await eventually("a caller has joined") { cache.statistics.joins == 1 }

        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        await source.answer(1, .success("one"))

        #expect(try await staying.value == "one")
        #expect(await source.cancelled == 0)
    }

    @Test("A fetch is cancelled when its last caller is, and later callers start a new one")
    func abandoned() async throws {
        let only = Task { [cache, source] in try await cache.value("key") { try await source.fetch() } }
        await source.whenAsked(1)

        only.cancel()
        await #expect(throws: CancellationError.self) { try await only.value }
        await eventually("the fetch is cancelled") { await source.cancelled == 1 }

        #expect(try await plain("new") == "new")
    }

    @Test("A full cache evicts the least recently used value")
    func capacity() async throws {
        for key in ["a", "b", "c"] { _ = try await cache.value(key) { key } }
        _ = cache.cached("a")

        _ = try await cache.value("d") { "d" }

        #expect(cache.cached("b") == nil)
        for key in ["a", "c", "d"] { #expect(cache.cached(key) == key) }
    }

    @Test("A stored value is not overwritten by a fetch that started before")
    func store() async throws {
        let fetching = Task { [cache, source] in try await cache.value("key") { try await source.fetch() } }
        await source.whenAsked(1)

        cache.store("stored", for: "key")
        await source.answer(1, .success("fetched"))

        #expect(try await fetching.value == "fetched")
        #expect(cache.cached("key") == "stored")
    }
}

@Suite("SingleFlight")
struct SingleFlightTests {
    @Test("Work that is not cancelled when abandoned continues without callers, and later callers join it")
    func goesOn() async throws {
        let flights = SingleFlight<String, String>(cancelsWhenAbandoned: false)
        let source = Source()
        let first = Task { try await flights.run("key") { try await source.fetch() } }
        await source.whenAsked(1)

        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await flights.run("key") { "other" } }
        await eventually("the second caller waits") { await flights.waiterCount("key") == 1 }
        await source.answer(1, .success("one"))

        #expect(try await second.value == "one")
        #expect(await source.asked == 1)
        #expect(await source.cancelled == 0)
        #expect(await flights.count == 0)
    }

    @Test("A failure is not cached")
    func failure() async throws {
        let flights = SingleFlight<Int, Int>()

        await #expect(throws: Broken.self) { try await flights.run(1) { throw Broken() } }

        #expect(try await flights.run(1) { 2 } == 2)
    }
}
