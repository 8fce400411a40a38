@_spi(Host) internal import AtriumKit

/// An object that is still there although the place that it was made for was left.
package struct Leak: Hashable, Sendable {
    /// The name of its type.
    package let name: String
    /// The link of the place.
    package let link: String
}

/// Watches what ought to leave with its place, without keeping it.
@MainActor
struct LeakMonitor {
    private var watched: [Watched] = []
    /// How many places are watched when those of which nothing is left are taken out next.
    private var limit = Self.fewest

    private static let fewest = 16

    /// What belonged to a place.
    private struct Watched {
        let objects: [TrackedObject]
        let link: String
        var isTold = false

        var isAlive: Bool { objects.contains(where: \.isAlive) }
        var leaks: [Leak] { objects.filter(\.isAlive).map { Leak(name: $0.name, link: link) } }
    }

    /// Watches everything that belongs to a place which is being left.
    mutating func watch(_ entry: EntryScope, of link: String) {
        // Not at each place: many may be left before the tasks that hold their objects get the turn to end.
        if watched.count >= limit { prune() }
        watched.append(Watched(objects: entry.objects, link: link))
    }

    /// What was built for entries that were left, by link.
    var objects: [(link: String, objects: [TrackedObject])] {
        watched.map { ($0.link, $0.objects) }
    }

    /// What is still there.
    var leaks: [Leak] {
        watched.flatMap(\.leaks)
    }

    /// What is still there and was not told before.
    mutating func takeNew() -> [Leak] {
        guard !watched.isEmpty else { return [] }
        prune()
        let new = watched.filter { !$0.isTold }.flatMap(\.leaks)
        for index in watched.indices { watched[index].isTold = true }
        return new
    }

    /// Takes out what is gone, into an array of its own: a long one would keep its memory when it is empty.
    private mutating func prune() {
        watched = watched.filter(\.isAlive)
        limit = max(Self.fewest, 2 * watched.count)
    }
}
