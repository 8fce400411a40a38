internal import AtriumKit

/// Answers that are kept for a person's own use (RFC 9111), within a bound of bytes.
struct ResponseCache {
    private struct Entry {
        var stored: StoredResponse
        let path: String
        let size: Int
        /// Counts the uses; the lowest goes first where room is needed.
        var lastUse: Int
    }

    private let limit: Int
    private var entries: [CacheKey: Entry] = [:]
    private var uses = 0
    /// How many bytes the answers take.
    private(set) var size = 0

    /// - Parameter limit: How many bytes the answers may take.
    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { entries.count }

    /// The answer kept under `key`, fresh or not; counts as a use.
    mutating func stored(_ key: CacheKey) -> StoredResponse? {
        guard let entry = entries[key] else { return nil }
        uses += 1
        entries[key]?.lastUse = uses
        return entry.stored
    }

    /// Keeps an answer in place of the one under `key`; one that needs more than a quarter of the room is not
    /// kept, since most others would have to go for it.
    ///
    /// - Parameters:
    ///   - stored: The answer; nil removes the one that is kept.
    ///   - key: What it is found under.
    ///   - path: The path of its URL.
    mutating func keep(_ stored: StoredResponse?, for key: CacheKey, path: String) {
        remove(key)
        guard let stored else { return }
        let needed = stored.size + key.url.utf8.count
        guard needed <= limit / 4 else { return }
        uses += 1
        entries[key] = Entry(stored: stored, path: path, size: needed, lastUse: uses)
        size += needed
        if size > limit { makeRoom() }
    }

    /// Forgets the answers that a change at `path` may have made wrong: those at the path, below it and above
    /// it, since a collection lists its members.
    mutating func invalidate(_ path: String) {
        for (key, entry) in entries where PathPrefix.areRelated(entry.path, path) { remove(key) }
    }

    /// Forgets all answers.
    mutating func removeAll() {
        entries = [:]
        size = 0
    }

    private mutating func remove(_ key: CacheKey) {
        if let former = entries.removeValue(forKey: key) { size -= former.size }
    }

    /// Removes what was not used for longest until an eighth of the room is free: sorting all answers for
    /// each one that comes would cost more with every answer that is kept.
    private mutating func makeRoom() {
        for (key, _) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard size > limit / 8 * 7 else { return }
            remove(key)
        }
    }
}
