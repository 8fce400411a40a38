extension Cache {
    /// What a cache knows, behind its lock.
    ///
    /// Keys are hashed and compared there; nothing else of theirs, or of the values', runs under it.
    struct State: Sendable {
        struct Entry: Sendable {
            let value: Value
            let storedAt: Timestamp
            /// Counts the uses; the lowest goes first where room is needed.
            var lastUse: Int
        }

        /// What a change took out.
        struct Dropped: Sendable {
            var former: Entry?
            var oldest: Entry?
            var flight: SharedWork<Value>?
        }

        let capacity: Int
        var entries: [Key: Entry] = [:]
        var flights: [Key: SharedWork<Value>] = [:]
        var statistics = CacheStatistics()
        private var uses = 0

        init(capacity: Int) {
            self.capacity = capacity
        }

        mutating func fresh(_ key: Key, at now: Timestamp, _ lifetime: Duration) -> Value? {
            guard let entry = entries[key] else { return nil }
            let age = Duration.microseconds(now.microseconds - entry.storedAt.microseconds)
            guard age >= .zero, age < lifetime else { return nil }
            uses += 1
            entries[key]?.lastUse = uses
            return entry.value
        }

        mutating func keep(_ value: Value, for key: Key, at now: Timestamp) -> Dropped {
            uses += 1
            let former = entries.updateValue(Entry(value: value, storedAt: now, lastUse: uses), forKey: key)
            return Dropped(
                former: former, oldest: removeOldest(), flight: flights.removeValue(forKey: key))
        }

        /// Makes room where there are more than there may be.
        private mutating func removeOldest() -> Entry? {
            guard entries.count > capacity else { return nil }
            let oldest = entries.min { $0.value.lastUse < $1.value.lastUse }
            return oldest.flatMap { entries.removeValue(forKey: $0.key) }
        }

        mutating func forget(_ key: Key) -> Dropped {
            statistics.invalidations += 1
            return Dropped(
                former: entries.removeValue(forKey: key), flight: flights.removeValue(forKey: key))
        }

        mutating func forgetAll() -> State {
            let former = self
            statistics.invalidations += 1
            (entries, flights) = ([:], [:])
            return former
        }
    }
}
