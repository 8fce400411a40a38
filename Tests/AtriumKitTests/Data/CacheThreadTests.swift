import AtriumKit
import AtriumTesting
import Testing

/// A value that invalidates an entry of its cache when it is released.
private final class Returning: Sendable {
    private let cache: Cache<Int, Returning>

    init(to cache: Cache<Int, Returning>) {
        self.cache = cache
    }

    deinit {
        cache.invalidate(0)
    }
}

@Suite("Cache on actors and threads")
struct CacheThreadTests {
    private let clock = FixedClock()
    private let cache: Cache<String, String>

    init() {
        cache = Cache(lifetime: .seconds(300), clock: clock)
    }

    @Test("A cached value, and a fetch that does not suspend, return without suspending the caller")
    @MainActor
    func inOneTurn() async throws {
        var got: [String] = []

        let tasks = ["first", "second"].map { answer in
            Task.immediate { @MainActor in
                got.append(try await cache.value("key") { answer })
            }
        }

        #expect(got == ["first", "first"])
        for task in tasks { try await task.value }
    }

    @Test("A fetch runs on its caller's actor")
    @MainActor
    func isolation() async throws {
        let beginning = try await cache.value("key") {
            MainActor.assertIsolated()
            await Task.yield()
            MainActor.assertIsolated()
            return "on the main actor"
        }

        #expect(beginning == "on the main actor")
    }

    @Test("A cancelled caller gets a cached value, and fetches nothing")
    func cancelledBefore() async throws {
        _ = try await cache.value("key") { "old" }
        let task = Task { [cache] in
            withUnsafeCurrentTask { $0?.cancel() }
            #expect(try await cache.value("key") { "new" } == "old")
            return try await cache.value("other") { "other" }
        }

        await #expect(throws: CancellationError.self) { try await task.value }

        #expect(cache.cached("other") == nil)
        #expect(cache.statistics.misses == 1)
    }

    @Test("A value can call its cache while it is being released")
    func returning() async throws {
        let cache = Cache<Int, Returning>(lifetime: .seconds(300), capacity: 1, clock: clock)
        for key in 1...2 { _ = try await cache.value(key) { Returning(to: cache) } }
        cache.store(Returning(to: cache), for: 2)
        cache.invalidate(2)
        cache.store(Returning(to: cache), for: 1)

        cache.invalidateAll()

        #expect(cache.count == 0)
        #expect(cache.statistics.invalidations == 6)
    }

    @Test("Of many concurrent calls, each is counted and gets the value of its key")
    func manyThreads() async throws {
        let cache = Cache<Int, Int>(lifetime: .seconds(300), capacity: 8, clock: clock)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2_000 {
                group.addTask {
                    let key = number % 10
                    if number % 50 == 0 { cache.invalidate(key) }
                    let value = try await cache.value(key) {
                        await Task.yield()
                        return key
                    }
                    #expect(value == key)
                }
            }
            try await group.waitForAll()
        }

        let statistics = cache.statistics
        #expect(statistics.hits + statistics.joins + statistics.misses == 2_000)
        #expect(cache.count == 8)
    }
}
