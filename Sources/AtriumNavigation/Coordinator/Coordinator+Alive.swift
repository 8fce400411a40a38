@_spi(Host) package import AtriumKit

/// An object that belongs to a place and is alive.
package struct AliveObject: Hashable, Sendable {
    /// The name of its type.
    package let name: String
    /// The link of its place.
    package let link: String
    /// Why it is alive.
    package let reason: String
    /// The tasks that run for its place, by name.
    package var tasks: [String] = []
}

extension Coordinator {
    /// The view models, and what else belongs to places, that are alive, from the current place down; then
    /// what outlived its place.
    package var alive: [AliveObject] {
        let places = state.entries.reversed().flatMap { entry in
            live[entry.id].map { objects(of: entry, $0) } ?? []
        }
        return places
            + leaks.map {
                AliveObject(name: $0.name, link: $0.link, reason: "outlived its place, which was left")
            }
    }

    /// The objects of every stack entry, and of entries that were left and of which something is alive: those
    /// have no scope.
    package var entryObjects: [(link: String, objects: [TrackedObject], entry: EntryScope?)] {
        let onStack = state.entries.compactMap { entry in
            live[entry.id].map { (entry.link, $0.screen.entry.objects, Optional($0.screen.entry)) }
        }
        return onStack + left.objects.map { ($0.link, $0.objects, nil) }
    }

    private func objects(of entry: StackEntry, _ live: LiveScreen) -> [AliveObject] {
        let tasks = live.screen.entry.taskCount > 0 ? live.screen.entry.tasks.names : []
        return live.screen.entry.objects.filter(\.isAlive).map {
            AliveObject(name: $0.name, link: entry.link, reason: reason(for: entry), tasks: tasks)
        }
    }

    private func reason(for entry: StackEntry) -> String {
        if isWaiting(entry.id) { return "waits for what it presented" }
        if busy[entry.id] != nil { return "an action runs on it" }
        if entry.id == currentEntry?.id { return "the current place" }
        let depth = state.entries.firstIndex { $0.id == entry.id }.map { $0 + 1 } ?? 0
        return "on the stack, place \(depth) of \(state.entries.count)"
    }
}
