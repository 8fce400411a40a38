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
                entry.objects.filter(shared.mayBeHeld).map { Holder.objectOfEntry($0, entry) }
            }
            objects.append((shared.object, shared.dependents.map(Holder.object) + viewModels))
        }
        for entry in entries {
            let own = entry.objects.filter {
                $0.module == module.name && $0.generation == module.generation
            }
            objects += own.map { ($0, [.entry(entry)]) }
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
                type: object.name, holders: holders.compactMap(\.description) + others)
        }
    }

    /// What may hold an object as long as it is alive itself.
    private enum Holder {
        /// A shared object whose factory asked for it.
        case object(TrackedObject)
        /// The stack entry that it was built for.
        case entry(EntryObjects)
        /// An object of a stack entry whose factory asked for it.
        case objectOfEntry(TrackedObject, EntryObjects)

        /// Its name; nil if it is gone.
        @MainActor var description: String? {
            switch self {
            case .entry(let entry): entry.holder
            case .object(let object): object.isAlive ? Self.name(object) : nil
            case .objectOfEntry(let object, let entry):
                object.isAlive ? "\(Self.name(object)) at \(entry.link)" : nil
            }
        }

        private static func name(_ object: TrackedObject) -> String {
            object.module.map { "\(object.name) of \($0) \(object.generation)" } ?? object.name
        }
    }
}
