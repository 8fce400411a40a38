@_spi(Host) package import AtriumKit

/// The stacks of all front ends.
@MainActor
package final class StackList {
    package private(set) var all: [Coordinator] = []

    /// Called when a change of the modules is published.
    package var didRebuild: () -> Void = {}

    package init() {}

    package func add(_ stack: Coordinator) { all.append(stack) }

    package func remove(_ stack: Coordinator) { all.removeAll { $0 === stack } }

    /// The links of the entries with screens that hold something a container change replaces.
    package func links(affectedBy change: ContainerChange) -> [String] {
        all.flatMap { $0.entries(affectedBy: change).map(\.link) }
    }

    package var entryObjects: [(link: String, objects: [TrackedObject], entry: EntryScope?)] {
        all.flatMap(\.entryObjects)
    }

    /// Rebuilds the affected screens when they are next shown.
    package func rebuildScreens(after change: ContainerChange) {
        for stack in all { stack.rebuildScreens(after: change) }
        didRebuild()
    }
}
