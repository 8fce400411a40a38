@_spi(Host) package import AtriumKit

/// The objects that were built for a stack entry, or for one that was left.
@MainActor
package struct EntryObjects {
    package let link: String
    package let objects: [TrackedObject]
    private weak var entry: EntryScope?

    package init(link: String, objects: [TrackedObject], entry: EntryScope?) {
        self.link = link
        self.objects = objects
        self.entry = entry
    }

    /// The entry as a holder, with its tasks; nil if it is gone.
    fileprivate var holder: String? {
        guard let entry else { return nil }
        let tasks = entry.taskCount == 0 ? "" : " (tasks: \(entry.tasks.names.joined(separator: ", ")))"
        return "stack entry \(link)\(tasks)"
    }
}

/// The objects of a generation, tracked weakly, with what may hold them.
///
/// They are recorded when the generation retires, or a person asks for them, and not while they are built: that
/// costs a running module nothing. Recorded are the module itself, its shared objects, and its view models and
/// entry values. What those hold in turn (structs, transient values, what the module creates itself) is not
/// seen; see Docs/decisions/0022-draining-by-weak-references.md.
@MainActor
package struct BuiltObjects {
    private var objects: [(object: TrackedObject, holders: [Holder])]
    /// The name of what may hold an object; nil if it is gone itself.
    private typealias Holder = @MainActor () -> String?

    /// Nothing.
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

    /// Whether none of them is alive.
    var areGone: Bool { !objects.contains(where: \.object.isAlive) }

    /// How many are alive of each type, by name.
    var rows: [GenerationReport.Row] {
        let alive = objects.filter(\.object.isAlive)
        let counts = Dictionary(alive.map { ($0.object.name, 1) }, uniquingKeysWith: +)
        return counts.map { GenerationReport.Row(type: $0, count: $1) }.sorted { $0.type < $1.type }
    }

    /// Those that are alive, each with what may hold it besides `others`.
    func held(by others: [String]) -> [GenerationReport.HeldObject] {
        objects.filter(\.object.isAlive).map { object, holders in
            GenerationReport.HeldObject(
                type: object.name, holders: holders.compactMap { $0() } + others)
        }
    }

    /// What an object is called as a holder; nil if it is gone.
    private static func name(_ object: TrackedObject) -> String? {
        guard object.isAlive else { return nil }
        return object.module.map { "\(object.name) of \($0) \(object.generation)" } ?? object.name
    }
}
