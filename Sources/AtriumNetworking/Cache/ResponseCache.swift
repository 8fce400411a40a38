internal import AtriumKit

/// A private cache of responses (RFC 9111) of limited size.
struct ResponseCache {
    private struct Entry {
        var response: CachedResponse
        let path: String
        let size: Int
        /// The sequence number of its request.
        let order: Int
        /// The sequence number of the last use; the lowest is evicted first.
        var lastUse: Int
    }

    private let limit: Int
    private var entries: [CacheKey: Entry] = [:]
    private var uses = 0
    /// In bytes.
    private(set) var size = 0

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { entries.count }

    /// The response for `key`, fresh or not; counts as a use.
    mutating func response(_ key: CacheKey) -> CachedResponse? {
        guard let entry = entries[key] else { return nil }
        uses += 1
        entries[key]?.lastUse = uses
        return entry.response
    }

    /// Replaces the response for `key`, unless that one was requested later; nil removes it.
    ///
    /// A response larger than a quarter of the limit is not kept, since it would evict most others.
    mutating func keep(_ response: CachedResponse?, for key: CacheKey, path: String, order: Int) {
        if let present = entries[key], present.order > order { return }
        remove(key)
        guard let response else { return }
        let needed = response.size + key.url.utf8.count
        guard needed <= limit / 4 else { return }
        uses += 1
        entries[key] = Entry(response: response, path: path, size: needed, order: order, lastUse: uses)
        size += needed
        if size > limit { evict() }
    }

    /// Removes the responses that a change at `path` may have invalidated: those at the path, below it, and
    /// above it, since a collection lists its members.
    mutating func invalidate(_ path: String) {
        for (key, entry) in entries where PathPrefix.areRelated(entry.path, path) { remove(key) }
    }

    mutating func removeAll() {
        entries = [:]
        size = 0
    }

    private mutating func remove(_ key: CacheKey) {
        if let former = entries.removeValue(forKey: key) { size -= former.size }
    }

    /// Evicts the least recently used responses until an eighth is free, so that the next responses don't
    /// each sort them all.
    private mutating func evict() {
        for (key, _) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard size > limit / 8 * 7 else { return }
            remove(key)
        }
    }
}

struct CacheKey: Hashable, Sendable {
    let url: String
    /// The sign-in of the request; a response to one user never serves another.
    let person: String?
    /// The header fields of the request without its token: all that the response may vary by.
    let fields: HTTPFields
}

enum PathPrefix {
    /// True if one path is equal to or above the other: `/v1/entities` and `/v1/entities/42`.
    static func areRelated(_ left: String, _ right: String) -> Bool {
        begins(left, with: right) || begins(right, with: left)
    }

    private static func begins(_ path: String, with start: String) -> Bool {
        let (path, start) = (path.utf8, start.utf8)
        guard path.starts(with: start) else { return false }
        return path.count == start.count || start.isEmpty || start.last == UInt8(ascii: "/")
            || path[path.index(path.startIndex, offsetBy: start.count)] == UInt8(ascii: "/")
    }
}
