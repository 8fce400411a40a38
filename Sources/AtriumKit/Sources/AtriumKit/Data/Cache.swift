internal import Synchronization

/// Values that are expensive to get, each kept for some time.
///
/// Concurrent callers for one key cause one fetch. A value that is invalidated during its fetch goes to those
/// who wait and is not kept; a failure keeps the earlier value. May be used from anywhere and changes no
/// threads.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let lifetime: Duration
    private let clock: any WallClock
    private let state: Mutex<State>

    /// A cache of values that are fresh for `lifetime`; beyond `capacity` the least recently used one goes
    /// first.
    public init(lifetime: Duration, capacity: Int = 1_000, clock: any WallClock) {
        precondition(capacity > 0, "A cache needs room for a value.")
        self.lifetime = lifetime
        self.clock = clock
        state = Mutex(State(capacity: capacity))
    }

    /// Counts of what happened so far.
    public var statistics: CacheStatistics { state.withLock { $0.statistics } }

    /// How many values are kept, those that are no longer fresh included.
    public var count: Int { state.withLock { $0.entries.count } }

    /// The fresh value of `key`, fetched if there is none, or if `reloads`.
    ///
    /// The fetch is cancelled when nobody waits for it any more. It begins in this turn, on the caller's
    /// actor; a closure with a capture list begins elsewhere and costs two changes of threads (Swift 6.3).
    nonisolated(nonsending) public func value(
        _ key: Key, reloads: Bool = false,
        fetch: nonisolated(nonsending) @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        switch try access(key, reloads) {
        case .kept(let value):
            return value
        case .joined(let request, let ticket):
            return try await request.value(for: ticket)
        case .begun(let request, let ticket):
            // No capture list: with one, Swift 6.3 takes the closure off the caller's actor.
            request.beginImmediately {
                do {
                    let value = try await fetch()
                    self.end(request, key, value)
                    return value
                } catch {
                    self.end(request, key, nil)
                    throw error
                }
            }
            return try await request.value(for: ticket)
        }
    }

    /// The fresh value of `key`, without fetching; nil if there is none.
    public func cached(_ key: Key) -> Value? {
        let now = clock.now()
        return state.withLock { $0.fresh(key, at: now, lifetime) }
    }

    /// Stores a value, in place of the one that is kept or being fetched for `key`.
    public func store(_ value: Value, for key: Key) {
        let now = clock.now()
        changeAndDrop { $0.keep(value, for: key, at: now) }
    }

    /// Forgets the value of `key`, also one that is being fetched; called after a change has succeeded.
    public func invalidate(_ key: Key) { changeAndDrop { $0.forget(key) } }

    /// Forgets all values, also those that are being fetched.
    public func invalidateAll() { changeAndDrop { $0.forgetAll() } }
}

extension Cache {
    private enum Access: Sendable {
        case kept(Value)
        case joined(Promise<Value>, ticket: Int)
        case begun(Promise<Value>, ticket: Int)
    }

    private func access(_ key: Key, _ reloads: Bool) throws -> Access {
        let now = clock.now()
        return try state.withLock { state in
            if !reloads, let kept = state.fresh(key, at: now, lifetime) {
                state.statistics.hits += 1
                return .kept(kept)
            }
            if let request = state.requests[key], let ticket = request.join() {
                state.statistics.joins += 1
                return .joined(request, ticket: ticket)
            }
            try Task.checkCancellation()
            state.statistics.misses += 1
            let request = Promise<Value>(cancelsWhenAbandoned: true)
            state.requests[key] = request
            // A new promise takes everybody.
            guard let ticket = request.join() else { throw CancellationError() }
            return .begun(request, ticket: ticket)
        }
    }

    private func end(_ request: Promise<Value>, _ key: Key, _ value: Value?) {
        let now = clock.now()
        changeAndDrop { state -> State.Dropped? in
            // If the key was invalidated or stored meanwhile, this is no longer its request.
            guard state.requests[key] === request else { return nil }
            guard let value else { return State.Dropped(request: state.requests.removeValue(forKey: key)) }
            return state.keep(value, for: key, at: now)
        }
    }

    /// Releases what was dropped outside the lock: a value's `deinit` may call the cache.
    private func changeAndDrop<Dropped: Sendable>(_ change: (inout State) -> Dropped) {
        _ = state.withLock { change(&$0) }
    }
}

extension Cache {
    /// The state behind the lock, where no foreign code runs but the hashing and comparing of keys.
    private struct State: Sendable {
        struct Entry: Sendable {
            let value: Value
            let storedAt: Timestamp
            /// Counts the uses; the lowest goes first.
            var lastUse: Int
        }

        struct Dropped: Sendable {
            var former: Entry?
            var oldest: Entry?
            var request: Promise<Value>?
        }

        let capacity: Int
        var entries: [Key: Entry] = [:]
        var requests: [Key: Promise<Value>] = [:]
        var statistics = CacheStatistics()
        private var uses = 0

        init(capacity: Int) {
            self.capacity = capacity
        }

        mutating func fresh(_ key: Key, at now: Timestamp, _ lifetime: Duration) -> Value? {
            guard let entry = entries[key] else { return nil }
            let age = Duration.microseconds(
                now.microseconds.subtractingClamped(entry.storedAt.microseconds))
            guard age >= .zero, age < lifetime else { return nil }
            uses += 1
            entries[key]?.lastUse = uses
            return entry.value
        }

        mutating func keep(_ value: Value, for key: Key, at now: Timestamp) -> Dropped {
            uses += 1
            let former = entries.updateValue(Entry(value: value, storedAt: now, lastUse: uses), forKey: key)
            return Dropped(
                former: former, oldest: removeOldest(), request: requests.removeValue(forKey: key))
        }

        private mutating func removeOldest() -> Entry? {
            guard entries.count > capacity else { return nil }
            let oldest = entries.min { $0.value.lastUse < $1.value.lastUse }
            return oldest.flatMap { entries.removeValue(forKey: $0.key) }
        }

        mutating func forget(_ key: Key) -> Dropped {
            statistics.invalidations += 1
            return Dropped(
                former: entries.removeValue(forKey: key), request: requests.removeValue(forKey: key))
        }

        mutating func forgetAll() -> State {
            let former = self
            statistics.invalidations += 1
            (entries, requests) = ([:], [:])
            return former
        }
    }
}

/// What a cache did so far, each a count of calls.
public struct CacheStatistics: Sendable, Hashable {
    /// Answered with a kept value.
    public var hits = 0
    /// Fetched.
    public var misses = 0
    /// Waited for a fetch that had begun before.
    public var joins = 0
    /// Invalidated.
    public var invalidations = 0

    public init() {}
}
