internal import Synchronization

/// Values that are expensive to get, each kept for some time.
///
/// Concurrent callers for one key cause one fetch. A value invalidated during its fetch goes to its waiting
/// callers and is not kept; a failed fetch keeps the earlier value. May be used from anywhere and changes no
/// threads.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let lifetime: Duration
    private let clock: any WallClock
    private let state: Mutex<State>

    /// Creates a cache of values that are fresh for `lifetime`; beyond `capacity` the least recently used one
    /// is dropped first.
    public init(lifetime: Duration, capacity: Int = 1_000, clock: any WallClock) {
        precondition(capacity > 0, "A cache needs room for a value.")
        self.lifetime = lifetime
        self.clock = clock
        state = Mutex(State(capacity: capacity))
    }

    /// Counts of the calls so far.
    public var statistics: CacheStatistics { state.withLock { $0.statistics } }

    /// The number of values kept, including those no longer fresh.
    public var count: Int { state.withLock { $0.entries.count } }

    /// Returns the fresh value of `key`, fetching it if there is none, or if `reloads`.
    ///
    /// The fetch is cancelled when no caller waits any more. It begins synchronously, on the caller's actor;
    /// a closure with a capture list begins elsewhere and costs two changes of threads (Swift 6.3).
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

    /// Returns the fresh value of `key`, without fetching; nil if there is none.
    public func cached(_ key: Key) -> Value? {
        let now = clock.now()
        return state.withLock { $0.fresh(key, at: now, lifetime) }
    }

    /// Stores a value, in place of the one that is kept or being fetched for `key`.
    public func store(_ value: Value, for key: Key) {
        let now = clock.now()
        changeAndDrop { $0.keep(value, for: key, at: now) }
    }

    /// Forgets the value of `key`, even one being fetched; call it after a change has succeeded.
    public func invalidate(_ key: Key) { changeAndDrop { $0.forget(key) } }

    /// Forgets all values, even those being fetched.
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
            // A new promise accepts every caller.
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

    /// Applies a change, and releases what it dropped outside the lock: a value's `deinit` may call the
    /// cache.
    private func changeAndDrop<Dropped: Sendable>(_ change: (inout State) -> Dropped) {
        _ = state.withLock { change(&$0) }
    }
}

extension Cache {
    /// The state that the lock protects; the only foreign code run here hashes and compares keys.
    private struct State: Sendable {
        struct Entry: Sendable {
            let value: Value
            let storedAt: Timestamp
            /// The number of the last use; the lowest is dropped first.
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

/// The statistics of a cache, each a count of calls.
public struct CacheStatistics: Sendable, Hashable {
    /// Calls answered with a kept value.
    public var hits = 0
    /// Calls that fetched.
    public var misses = 0
    /// Calls that joined a fetch in flight.
    public var joins = 0
    /// Calls that invalidated.
    public var invalidations = 0

    public init() {}
}
