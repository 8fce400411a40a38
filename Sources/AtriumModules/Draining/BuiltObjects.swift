@_spi(Host) package import AtriumKit

/// The objects that were built for a present or former stack entry.
@MainActor
package struct EntryObjects {
    package let link: String
    package let objects: [TrackedObject]
    private weak var entry: EntryScope?

    package init(link: String, objects: [TrackedObject], entry: EntryScope?) {
        (self.link, self.objects, self.entry) = (link, objects, entry)
    }

    /// The entry as a holder, with its tasks; nil if it no longer exists.
    fileprivate var holder: String? {
        guard let entry else { return nil }
        let tasks = entry.taskCount == 0 ? "" : " (tasks: \(entry.tasks.names.joined(separator: ", ")))"
        return "stack entry \(link)\(tasks)"
    }
}

/// The objects of a generation, tracked weakly, with their possible holders.
///
/// They are recorded when the generation retires, or on request, and not when they are built, so a running
/// module pays nothing. Recorded are the module itself, its shared objects, and its view models and entry
/// values. Objects that those hold in turn (structs, transient values, objects that the module creates
/// itself) are not tracked; see Docs/decisions/0022-draining-by-weak-references.md.
@MainActor
package struct BuiltObjects {
    private var objects: [(object: TrackedObject, holders: [Holder])]
    /// The name of a possible holder; nil if it no longer exists.
    private typealias Holder = @MainActor () -> String?

    /// Tracks no objects.
    init() {
        objects = []
    }

    init(
        of instance: any FeatureModule, _ module: ModuleScope, in container: Container,
        _ entries: [EntryObjects]
    ) {
        objects = [(TrackedObject(instance, of: module), [])]
        for shared in container.objects(of: module) {
            let viewModels = entries.flatMap { entry in
                entry.objects.filter(shared.mayBeHeld).map { object -> Holder in
                    { Self.name(object).map { "\($0) at \(entry.link)" } }
                }
            }
            let dependents = shared.dependents.map { object -> Holder in { Self.name(object) } }
            objects.append((shared.object, dependents + viewModels))
        }
        for entry in entries {
            let own = entry.objects.filter {
                $0.module == module.name && $0.generation == module.generation
            }
            objects += own.map { ($0, [{ entry.holder }]) }
        }
    }

    var areGone: Bool { !objects.contains(where: \.object.isAlive) }

    /// The number of living objects of each type, by name.
    var rows: [GenerationReport.Row] {
        let alive = objects.filter(\.object.isAlive)
        let counts = Dictionary(alive.map { ($0.object.name, 1) }, uniquingKeysWith: +)
        return counts.map { GenerationReport.Row(type: $0, count: $1) }.sorted { $0.type < $1.type }
    }

    /// The living objects, each with its possible holders and `others`.
    func held(by others: [String]) -> [GenerationReport.HeldObject] {
        objects.filter(\.object.isAlive).map { object, holders in
            GenerationReport.HeldObject(
                type: object.name, holders: holders.compactMap { $0() } + others)
        }
    }

    /// The name of an object as a holder; nil if it no longer exists.
    private static func name(_ object: TrackedObject) -> String? {
        guard object.isAlive else { return nil }
        return object.module.map { "\(object.name) of \($0) \(object.generation)" } ?? object.name
    }
}
