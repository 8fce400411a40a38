internal import AtriumKit

/// A generation of a module as it is now: whether it drains, what of it is alive, and who holds that.
package struct GenerationReport: Sendable {
    package let number: Int
    package let version: String
    package let digest: String
    package let state: State
    /// The bytes of address space that its library takes.
    package let mapped: Int
    /// The names of its tasks that run.
    package let tasks: [String]
    /// What is alive of it, by type.
    package internal(set) var alive: [HeapCensus.Row] = []
    /// Some of that, with their holders.
    package internal(set) var held: [HeapCensus.HeldObject] = []

    /// How many objects are alive.
    package var objects: Int { alive.reduce(0) { $0 + $1.count } }

    /// Where a generation is in its life.
    package enum State: String, Sendable {
        case active
        /// Something of it is there, or runs.
        case draining
        /// Nothing of it is there but its mapped library.
        case drained
    }
}

/// The generations of a module, oldest first.
package struct GenerationsReport: Sendable {
    package let generations: [GenerationReport]
    /// How many earlier ones there were, of which nothing is there but their mapped libraries.
    package let drained: Int
    /// The bytes of address space that those take.
    package let drainedBytes: Int
    /// Why there may be more than what was counted, in sentences.
    package let gaps: [String]
}

extension ModuleRuntime {
    /// Counts what is alive of every generation of a module, in the memory of this process.
    ///
    /// Takes some tens of milliseconds for 50 MB. Generations of one build share its library, and are counted
    /// with the newest of them.
    package func generations(of module: Module) -> GenerationsReport {
        var images: [MappedImage] = []
        var reports: [(image: MappedImage?, report: GenerationReport)] = []
        if let current = module.current {
            add(current.image, "\(module.name) \(current.number)", to: &images)
            reports.append((current.image, report(current)))
        }
        for retired in module.retired.reversed() {
            let isNew = !images.contains { $0.ranges == retired.image?.ranges }
            add(retired.image, "\(module.name) \(retired.number)", to: &images)
            reports.append((isNew ? retired.image : nil, report(retired)))
        }
        let census = HeapCensus(of: images, naming: otherImages(than: module))
        let generations = reports.reversed().map { image, report in
            var report = report
            guard let image else { return report }
            report.alive = census.rows.filter { $0.image.ranges == image.ranges }
            report.held = census.objects.filter { $0.image.ranges == image.ranges }
            return report.settled
        }
        let shown = Set(images.map(\.ranges))
        let drained = Set(module.drained.compactMap { MappedImage(containing: $0)?.ranges }).subtracting(
            shown)
        return GenerationsReport(
            generations: generations, drained: module.drained.count,
            drainedBytes: drained.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }, gaps: census.gaps)
    }

    private func add(_ image: MappedImage?, _ name: String, to images: inout [MappedImage]) {
        guard var image, !images.contains(where: { $0.ranges == image.ranges }) else { return }
        image.name = name
        images.append(image)
    }

    private func otherImages(than module: Module) -> [MappedImage] {
        modules.filter { $0 !== module }.compactMap { other in
            guard let generation = other.current, var image = generation.image else { return nil }
            image.name = "\(other.name) \(generation.number)"
            return image
        }
    }

    private func report(_ generation: Generation) -> GenerationReport {
        GenerationReport(
            number: generation.number, version: "\(generation.version)", digest: generation.candidate.digest,
            state: .active, mapped: generation.image?.bytes ?? 0, tasks: generation.tasksRunning)
    }

    private func report(_ generation: RetiredGeneration) -> GenerationReport {
        GenerationReport(
            number: generation.number, version: "\(generation.version)", digest: generation.digest,
            state: generation.isDrained ? .drained : .draining, mapped: generation.image?.bytes ?? 0,
            tasks: generation.tasksRunning)
    }
}

extension GenerationReport {
    /// The report with the state that the census shows.
    fileprivate var settled: GenerationReport {
        guard state != .active else { return self }
        var report = GenerationReport(
            number: number, version: version, digest: digest,
            state: alive.allSatisfy(\.isConstant) && tasks.isEmpty ? .drained : .draining, mapped: mapped,
            tasks: tasks)
        report.alive = alive
        report.held = held
        return report
    }
}

extension HeapCensus.Row {
    /// Whether it is a key path: the image keeps those that its code uses, once made, for ever.
    fileprivate var isConstant: Bool { type.contains("KeyPath<") }
}
