/// Values that are expensive to get, each kept for some time.
///
/// Callers who want the same value at the same time cause one fetch. What is invalidated while it is fetched
/// is handed to those who waited for it and not kept, and who comes later fetches anew. A failure is not
/// remembered and keeps what was there.
public actor Cache<Key: Hashable & Sendable, Value: Sendable> {
    private struct Entry {
        let value: Value
        let storedAt: Timestamp
        /// Counts the uses; the lowest goes first where room is needed.
        var lastUse: Int
    }

    private let lifetime: Duration
    private let capacity: Int
    private let clock: any WallClock
    private var entries: [Key: Entry] = [:]
    private var flights: [Key: SharedWork<Value>] = [:]
    private var uses = 0
    /// What happened so far.
    public private(set) var statistics = CacheStatistics()

    /// - Parameters:
    ///   - lifetime: How long a value is kept. It is fresh before that long after it was stored, and no
    ///     longer then; where the clock was set back behind the storing, it is not fresh either.
    ///   - capacity: How many values are kept; the one that was not used for longest goes first.
    ///   - clock: The time.
    public init(lifetime: Duration, capacity: Int = 1_000, clock: any WallClock) {
        precondition(capacity > 0, "A cache needs room for a value.")
        self.lifetime = lifetime
        self.capacity = capacity
        self.clock = clock
    }

    /// How many values are kept, those that are no longer fresh included.
    public var count: Int { entries.count }

    /// The fresh value of `key`, fetched where there is none.
    ///
    /// - Parameters:
    ///   - key: What the value is kept under.
    ///   - reloads: Whether it is fetched although a fresh one is kept.
    ///   - fetch: Gets the value; cancelled when nobody waits for it any more.
    /// - Returns: The value; everybody who waits for one fetch gets the same.
    /// - Throws: What `fetch` throws; `CancellationError` where the calling task is cancelled.
    public func value(
        _ key: Key, reloads: Bool = false, fetch: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if !reloads, let kept = fresh(key) {
            statistics.hits += 1
            return kept
        }
        if let flight = flights[key], let place = flight.join() {
            statistics.joins += 1
            return try await flight.value(at: place)
        }
        statistics.misses += 1
        let flight = SharedWork<Value>(endsWhenAbandoned: true)
        flights[key] = flight
        // A flight that has just been made takes everybody.
        guard let place = flight.join() else { throw CancellationError() }
        flight.begin { [weak self] in
            do {
                let value = try await fetch()
                await self?.end(flight, key, value)
                return value
            } catch {
                await self?.end(flight, key, nil)
                throw error
            }
        }
        return try await flight.value(at: place)
    }

    /// The fresh value of `key`, without fetching; nil where there is none.
    public func cached(_ key: Key) -> Value? {
        fresh(key)
    }

    /// Keeps a value that became known otherwise, in place of what is kept or under way for `key`.
    public func store(_ value: Value, for key: Key) {
        flights[key] = nil
        keep(value, for: key)
    }

    /// Forgets the value of `key`, also one that is under way; called after a change has succeeded.
    public func invalidate(_ key: Key) {
        statistics.invalidations += 1
        entries[key] = nil
        flights[key] = nil
    }

    /// Forgets all values, also those that are under way.
    public func invalidateAll() {
        statistics.invalidations += 1
        entries = [:]
        flights = [:]
    }

    private func fresh(_ key: Key) -> Value? {
        guard let entry = entries[key] else { return nil }
        let age = Duration.microseconds(clock.now().microseconds - entry.storedAt.microseconds)
        guard age >= .zero, age < lifetime else { return nil }
        uses += 1
        entries[key]?.lastUse = uses
        return entry.value
    }

    private func end(_ flight: SharedWork<Value>, _ key: Key, _ value: Value?) {
        // What was invalidated or replaced meanwhile is no longer the flight of its key.
        guard flights[key] === flight else { return }
        flights[key] = nil
        if let value { keep(value, for: key) }
    }

    private func keep(_ value: Value, for key: Key) {
        uses += 1
        entries[key] = Entry(value: value, storedAt: clock.now(), lastUse: uses)
        guard entries.count > capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return }
        entries[oldest.key] = nil
    }
}

/// What a cache did so far, each a count of calls.
public struct CacheStatistics: Sendable, Hashable {
    /// Answered from what was kept.
    public var hits = 0
    /// Fetched.
    public var misses = 0
    /// Waited for a fetch that was under way.
    public var joins = 0
    /// Forgotten on purpose.
    public var invalidations = 0

    public init() {}
}
