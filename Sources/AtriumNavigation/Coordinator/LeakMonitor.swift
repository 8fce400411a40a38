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
    private var watched: [(leak: Leak, object: EntryScope.TrackedObject, isTold: Bool)] = []

    /// Watches everything that belongs to a place which is being left.
    mutating func watch(_ entry: EntryScope, of link: String) {
        prune()
        watched += entry.objects.map { (Leak(name: $0.name, link: link), $0, false) }
    }

    /// What is still there.
    var leaks: [Leak] {
        watched.filter(\.object.isAlive).map(\.leak)
    }

    /// What is still there and was not told before.
    mutating func takeNew() -> [Leak] {
        guard !watched.isEmpty else { return [] }
        prune()
        let new = watched.filter { !$0.isTold }.map(\.leak)
        for index in watched.indices { watched[index].isTold = true }
        return new
    }

    private mutating func prune() {
        watched.removeAll { !$0.object.isAlive }
    }
}
