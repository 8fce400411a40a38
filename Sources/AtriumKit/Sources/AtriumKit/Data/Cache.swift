internal import Synchronization

/// Values that are expensive to get, each kept for some time.
///
/// Callers who want the same value at the same time cause one fetch. What is invalidated while it is fetched
/// is handed to those who waited for it and not kept, and who comes later fetches anew. A failure is not
/// remembered and keeps what was there.
///
/// It may be used from anywhere, and changes no threads: what is kept is there at once, and a fetch begins where
/// its caller is.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let lifetime: Duration
    private let clock: any WallClock
    private let state: Mutex<State>

    /// - Parameters:
    ///   - lifetime: How long a value is kept. It is fresh before that long after it was stored, and no
    ///     longer then; where the clock was set back behind the storing, it is not fresh either.
    ///   - capacity: How many values are kept; the one that was not used for longest goes first.
    ///   - clock: The time.
    public init(lifetime: Duration, capacity: Int = 1_000, clock: any WallClock) {
        precondition(capacity > 0, "A cache needs room for a value.")
        self.lifetime = lifetime
        self.clock = clock
        state = Mutex(State(capacity: capacity))
    }

    /// What happened so far.
    public var statistics: CacheStatistics { state.withLock { $0.statistics } }

    /// How many values are kept, those that are no longer fresh included.
    public var count: Int { state.withLock { $0.entries.count } }

    /// The fresh value of `key`, fetched where there is none.
    ///
    /// - Parameters:
    ///   - key: What the value is kept under.
    ///   - reloads: Whether it is fetched although a fresh one is kept.
    ///   - fetch: Gets the value, in a task of its own that is cancelled when nobody waits for it any more.
    ///     Begins in this turn, on the caller's actor; a closure with a capture list begins elsewhere and costs
    ///     two changes of threads, as Swift 6.3 has it.
    /// - Returns: The value; everybody who waits for one fetch gets the same.
    /// - Throws: What `fetch` throws; `CancellationError` where the calling task is cancelled.
    nonisolated(nonsending) public func value(
        _ key: Key, reloads: Bool = false,
        fetch: nonisolated(nonsending) @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        switch try course(to: key, reloads) {
        case .kept(let value):
            return value
        case .joined(let flight, let place):
            return try await flight.value(at: place)
        case .begun(let flight, let place):
            // No capture list: with one, Swift 6.3 takes the closure off the caller's actor.
            flight.beginAtOnce {
                do {
                    let value = try await fetch()
                    self.end(flight, key, value)
                    return value
                } catch {
                    self.end(flight, key, nil)
                    throw error
                }
            }
            return try await flight.value(at: place)
        }
    }

    /// The fresh value of `key`, without fetching; nil where there is none.
    public func cached(_ key: Key) -> Value? {
        let now = clock.now()
        return state.withLock { $0.fresh(key, at: now, lifetime) }
    }

    /// Keeps a value that became known otherwise, in place of what is kept or under way for `key`.
    public func store(_ value: Value, for key: Key) {
        let now = clock.now()
        changeAndDrop { $0.keep(value, for: key, at: now) }
    }

    /// Forgets the value of `key`, also one that is under way; called after a change has succeeded.
    public func invalidate(_ key: Key) {
        changeAndDrop { $0.forget(key) }
    }

    /// Forgets all values, also those that are under way.
    public func invalidateAll() {
        changeAndDrop { $0.forgetAll() }
    }
}

extension Cache {
    /// How a caller gets a value.
    private enum Course: Sendable {
        case kept(Value)
        /// It waits for what is under way.
        case joined(SharedWork<Value>, place: Int)
        /// It waits for what it has to begin.
        case begun(SharedWork<Value>, place: Int)
    }

    private func course(to key: Key, _ reloads: Bool) throws -> Course {
        let now = clock.now()
        return try state.withLock { state in
            if !reloads, let kept = state.fresh(key, at: now, lifetime) {
                state.statistics.hits += 1
                return .kept(kept)
            }
            if let flight = state.flights[key], let place = flight.join() {
                state.statistics.joins += 1
                return .joined(flight, place: place)
            }
            // Who is cancelled already begins nothing.
            try Task.checkCancellation()
            state.statistics.misses += 1
            let flight = SharedWork<Value>(endsWhenAbandoned: true)
            state.flights[key] = flight
            // A flight that has just been made takes everybody.
            guard let place = flight.join() else { throw CancellationError() }
            return .begun(flight, place: place)
        }
    }

    private func end(_ flight: SharedWork<Value>, _ key: Key, _ value: Value?) {
        let now = clock.now()
        changeAndDrop { state -> State.Dropped? in
            // What was invalidated or replaced meanwhile is no longer the flight of its key.
            guard state.flights[key] === flight else { return nil }
            guard let value else { return State.Dropped(flight: state.flights.removeValue(forKey: key)) }
            return state.keep(value, for: key, at: now)
        }
    }

    /// Lets go of what is no longer kept when the lock is free: a value's `deinit` may come back here.
    private func changeAndDrop<Dropped: Sendable>(_ change: (inout State) -> Dropped) {
        _ = state.withLock { change(&$0) }
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
