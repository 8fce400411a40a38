@_spi(Host) package import AtriumKit

/// An object of a stack entry that is alive.
package struct AliveObject: Hashable, Sendable {
    package let name: String
    package let link: String
    package let reason: String
    package var tasks: [String] = []
}

/// Watches the objects of entries that have left, without keeping them alive.
@MainActor
struct LeakMonitor {
    private(set) var watched: [Watched] = []
    /// The number of watched entries at which those without leaks are removed.
    private var limit = Self.smallestLimit

    private static let smallestLimit = 16

    struct Watched {
        let objects: [TrackedObject]
        let link: String
        var isReported = false

        var isAlive: Bool { objects.contains(where: \.isAlive) }
        var leaks: [AliveObject] {
            objects.filter(\.isAlive).map {
                AliveObject(name: $0.name, link: link, reason: "outlived its stack entry")
            }
        }
    }

    mutating func watch(_ entry: EntryScope, of link: String) {
        // Not at every call: many entries may leave before the tasks that hold their objects can end.
        if watched.count >= limit { prune() }
        watched.append(Watched(objects: entry.objects, link: link))
    }

    var leaks: [AliveObject] { watched.flatMap(\.leaks) }

    mutating func takeNew() -> [AliveObject] {
        guard !watched.isEmpty else { return [] }
        prune()
        let new = watched.filter { !$0.isReported }.flatMap(\.leaks)
        for index in watched.indices { watched[index].isReported = true }
        return new
    }

    /// Makes a new array, because an emptied one would keep its memory.
    private mutating func prune() {
        watched = watched.filter(\.isAlive)
        limit = max(Self.smallestLimit, 2 * watched.count)
    }
}

extension Coordinator {
    package var leaks: [AliveObject] { leakMonitor.leaks }

    /// Returns each leak once; an object that a running command holds is not a leak yet.
    package func takeNewLeaks() -> [AliveObject] { leakMonitor.takeNew() }

    /// The live objects of all entries, from the current one down, then the leaks.
    package var alive: [AliveObject] { state.entries.reversed().flatMap(objects) + leaks }

    /// The objects of every stack entry, and of former entries with live objects, which have no scope.
    package var entryObjects: [(link: String, objects: [TrackedObject], entry: EntryScope?)] {
        let onStack = state.entries.compactMap { entry in
            live[entry.id].map { (entry.link, $0.screen.entry.objects, Optional($0.screen.entry)) }
        }
        return onStack + leakMonitor.watched.map { ($0.link, $0.objects, nil) }
    }

    private func objects(of entry: StackEntry) -> [AliveObject] {
        guard let scope = live[entry.id]?.screen.entry else { return [] }
        let tasks = scope.taskCount > 0 ? scope.tasks.names : []
        return scope.objects.filter(\.isAlive).map {
            AliveObject(name: $0.name, link: entry.link, reason: reason(for: entry), tasks: tasks)
        }
    }

    private func reason(for entry: StackEntry) -> String {
        if isWaiting(entry.id) { return "waits for a result" }
        if busy[entry.id] != nil { return "an action runs on it" }
        if entry.id == currentEntry?.id { return "the current entry" }
        let depth = state.entries.firstIndex { $0.id == entry.id }.map { $0 + 1 } ?? 0
        return "on the stack, entry \(depth) of \(state.entries.count)"
    }
}
