internal import AtriumCrash
internal import AtriumLibraries

/// A generation of a module: whether it is draining, its living objects, and their possible holders.
package struct GenerationReport: Sendable {
    package let number: Int
    package let version: String
    package let digest: String
    package let state: State
    /// The address space of its library, in bytes.
    package let mapped: Int
    /// The time of its start; nil once it is replaced.
    package var start: StartTimes?
    /// The names of its running tasks.
    package let tasks: [String]
    /// Its living objects, by type.
    package let alive: [Row]
    /// Its living objects with their holders; empty for the active generation.
    package let held: [HeldObject]

    /// The number of living objects.
    package var objects: Int { alive.reduce(0) { $0 + $1.count } }

    /// The stage of a generation's life.
    package enum State: String, Sendable {
        case active
        /// Some of its objects are alive, or its tasks are running.
        case draining
        /// Only its mapped library is left.
        case drained
    }

    /// The number of living objects of a type.
    package struct Row: Hashable, Sendable {
        package let type: String
        package let count: Int
    }

    /// An object with its possible holders; empty if none are known.
    package struct HeldObject: Hashable, Sendable {
        package let type: String
        package let holders: [String]
    }
}

/// The time that a generation took to start, by step.
package struct StartTimes: Sendable {
    /// To read, copy and check its library.
    package let reading: Duration
    package let opening, registration: Duration
    /// Nil until it is activated.
    package let activation: Duration?

    package var total: Duration { reading + opening + registration + (activation ?? .zero) }
}

extension Generation {
    var startTimes: StartTimes {
        let took = watched.times.took
        return StartTimes(
            reading: library.reading, opening: took[.load] ?? .zero,
            registration: (took[.create] ?? .zero) + (took[.register] ?? .zero), activation: took[.activate])
    }
}

/// The generations of a module, oldest first.
package struct GenerationsReport: Sendable {
    package let generations: [GenerationReport]
    /// The number of earlier generations of which only the mapped libraries are left.
    package let drained: Int
    /// The address space of those libraries, in bytes.
    package let drainedBytes: Int
}

extension ModuleRuntime {
    /// Counts the living objects of every generation of a module.
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
        return GenerationReport(
            number: generation.number, version: "\(generation.version)", digest: generation.library.digest,
            state: .active, mapped: generation.mapped, start: generation.startTimes,
            tasks: generation.tasksRunning, alive: generation.objects(in: site).rows, held: [])
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
