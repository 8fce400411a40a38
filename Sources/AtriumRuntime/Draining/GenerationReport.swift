internal import AtriumKit

/// A generation of a module: whether it drains, what of it is alive, and what may hold that.
package struct GenerationReport: Sendable {
    package let number: Int
    package let version: String
    package let digest: String
    package let state: State
    /// The bytes of address space that its library takes.
    package let mapped: Int
    /// The names of its running tasks.
    package let tasks: [String]
    /// What is alive of it, by type.
    package let alive: [Row]
    /// What is alive, with its holders; empty for the active generation.
    package let held: [HeldObject]

    /// How many objects are alive.
    package var objects: Int { alive.reduce(0) { $0 + $1.count } }

    /// Where a generation is in its life.
    package enum State: String, Sendable {
        case active
        /// Something of it is alive, or runs.
        case draining
        /// Only its mapped library is left.
        case drained
    }

    /// How many objects of a type are alive.
    package struct Row: Hashable, Sendable {
        package let type: String
        package let count: Int
    }

    /// An object, with what may hold it; nothing if that is not known.
    package struct HeldObject: Hashable, Sendable {
        package let type: String
        package let holders: [String]
    }
}

/// The generations of a module, oldest first.
package struct GenerationsReport: Sendable {
    package let generations: [GenerationReport]
    /// How many earlier generations there were, of which only the mapped libraries are left.
    package let drained: Int
    /// The bytes of address space that those libraries take.
    package let drainedBytes: Int
}

extension ModuleRuntime {
    /// Counts what is alive of every generation of a module.
    package func generations(of module: Module) -> GenerationsReport {
        let generations = module.retired.map(report) + (module.current.map { [report($0)] } ?? [])
        // Generations of one build share a library.
        let shown = Set(generations.map(\.digest))
        let drained = Dictionary(module.drained.map { ($0.digest, $0.mapped) }) { first, _ in first }
        return GenerationsReport(
            generations: generations, drained: module.drained.count,
            drainedBytes: drained.reduce(0) { $0 + (shown.contains($1.key) ? 0 : $1.value) })
    }

    private func report(_ generation: Generation) -> GenerationReport {
        GenerationReport(
            number: generation.number, version: "\(generation.version)", digest: generation.library.digest,
            state: .active, mapped: generation.mapped, tasks: generation.tasksRunning,
            alive: generation.objects(in: site).rows, held: [])
    }

    private func report(_ generation: RetiredGeneration) -> GenerationReport {
        let tasks = generation.tasksRunning
        let work = generation.isHeldByWork ? ["a command that began before the change"] : []
        return GenerationReport(
            number: generation.number, version: "\(generation.version)", digest: generation.digest,
            state: generation.isDrained ? .drained : .draining, mapped: generation.mapped, tasks: tasks,
            alive: generation.objects.rows,
            held: generation.objects.held(by: tasks.map { "task '\($0)'" } + work))
    }
}
