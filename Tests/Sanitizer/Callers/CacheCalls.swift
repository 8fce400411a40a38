import AtriumKit

/// Concurrent calls of a cache: reads, joined reads, reloads, writes and invalidations.
struct CacheCalls {
    /// Fewer than the 16 keys, so that values are evicted.
    private static let capacity = 12

    private let cache = Cache<Int, [String]>(
        lifetime: .seconds(300), capacity: capacity, clock: StandingClock())

    func run() async throws -> String {
        let calls = try await atOnce { number in
            // The 16 squares modulo 31, in an order with some cache hits.
            let key = number * number % 31
            switch number % 25 {
            case 21: cache.invalidate(key)
            case 22: cache.store(Self.value(key), for: key)
            case 23: require(cache.count <= Self.capacity, "The cache outgrew its capacity.")
            case 24: cache.invalidateAll()
            default: try await read(key, reloads: number % 25 == 20)
            }
        }
        let counts = cache.statistics
        let reads = counts.hits + counts.misses + counts.joins
        require(reads == calls / 25 * 21, "The statistics count \(reads) reads.")
        require(
            counts.invalidations == calls / 25 * 2,
            "The statistics count \(counts.invalidations) invalidations.")
        return "cache: \(calls) calls, \(counts.hits > 0 ? "some" : "none") answered from what is kept"
    }

    private func read(_ key: Int, reloads: Bool) async throws {
        let value = try await cache.value(key, reloads: reloads) {
            await Task.yield()
            return Self.value(key)
        }
        require(value == Self.value(key), "Key \(key) has the value of another key.")
    }

    private static func value(_ key: Int) -> [String] { ["entity \(key)"] }
}

/// A stopped clock without shared state.
struct StandingClock: WallClock {
    func now() -> Timestamp { Timestamp(microseconds: 1_767_225_600_000_000) }
}
