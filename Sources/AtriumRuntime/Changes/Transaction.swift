@_spi(Host) internal import AtriumKit

/// A change of the modules that is being carried out: the next state is prepared aside, then published in
/// one turn of the main actor.
///
/// In steps: the arriving libraries are opened and register in a staged container; they are activated in
/// it; shared values that the change affects are built; state is handed over; everything is exchanged.
/// Whatever fails before the exchange leaves the running state as it was.
@MainActor
final class Transaction {
    private let runtime: ModuleRuntime
    private let next: NextModules
    private let staged: StagedChange
    private var arrivals: [(module: Module, generation: Generation)] = []
    /// Whether modules are being activated, so that what is loaded on demand belongs to the change.
    private(set) var isActivating = false
    /// The generations that were activated, in order.
    private var activated: [Generation] = []
    /// The state before the exchange, for what the leaving generations ask while they stop.
    private var past: HeldState?
    /// What was loaded within the change because somebody wanted an interface.
    private(set) var demanded: [(module: Module, generation: Generation)] = []

    init(_ next: NextModules, of runtime: ModuleRuntime) {
        self.next = next
        self.runtime = runtime
        staged = StagedChange(of: runtime.container)
    }

    // MARK: - Before the exchange

    /// Loads, registers and activates what arrives, and builds what the change affects.
    ///
    /// - Throws: The first thing that fails; call ``undo()`` then.
    func prepare() async throws {
        for departure in next.departures { removeScope(of: departure.module) }
        for arrival in next.arrivals where arrival.replaces { removeScope(of: arrival.module) }
        for arrival in next.arrivals {
            let generation = try runtime.load(arrival.candidate, as: arrival.module)
            try check(generation, replacing: arrival.module.current)
            try staged.add(generation.registry)
            arrivals.append((arrival.module, generation))
            // Commands go on between the steps.
            await Task.yield()
        }
        try checkScreens()
        isActivating = true
        for (_, generation) in arrivals {
            activated.append(generation)
            try await runtime.activate(generation, in: staged.next)
        }
        isActivating = false
        await Task.yield()
        try staged.rebuild()
        await Task.yield()
    }

    /// Adds what is loaded within the change, because somebody who is being activated wants it.
    func add(_ generation: Generation, for module: Module) throws {
        try staged.add(generation.registry)
        demanded.append((module, generation))
        try checkScreens()
    }

    private func removeScope(of module: Module) {
        if let generation = module.current { staged.remove(generation.scope) }
    }

    /// An older build can't work on a database that a newer one has changed.
    private func check(_ generation: Generation, replacing current: Generation?) throws {
        guard let current, generation.databaseVersion < current.databaseVersion else { return }
        throw ModuleError.olderDatabase(
            generation.name, version: "\(generation.version)", knows: generation.databaseVersion,
            has: current.databaseVersion)
    }

    private var all: [(module: Module, generation: Generation)] { arrivals + demanded }

    private var leavingScreens: Set<String> {
        Set(next.departures.map(\.module.name) + all.map(\.generation.name))
    }

    private func checkScreens() throws {
        try runtime.site.check(all.flatMap(\.generation.screens), replacingThoseOf: leavingScreens)
    }

    /// Gives the change up: what was activated is stopped, and nobody has seen anything.
    func undo() async {
        staged.discard()
        for generation in activated.reversed() { _ = await runtime.stop(generation) }
        for (_, generation) in arrivals { generation.scope.tasks.cancel() }
    }

    // MARK: - The exchange

    /// Hands state over and exchanges everything, in one turn of the main actor.
    ///
    /// - Returns: What has to be stopped now, in order.
    /// - Throws: Where state can't be handed over; nothing was exchanged then.
    func publish() throws -> [Generation] {
        for (module, generation) in arrivals { try handOver(to: generation, of: module) }
        for departure in next.departures where !departure.isRemoved { keepState(of: departure.module) }
        runtime.work.hold(runtime.container)
        past = runtime.container.hold()
        for module in next.departures.map(\.module) + all.map(\.module) {
            module.current?.willRetire(from: runtime.site)
        }
        let change = try staged.publish()
        runtime.site.exchange(all.flatMap(\.generation.screens), replacingThoseOf: leavingScreens)
        let leaving = takeOver()
        runtime.site.didExchange(change)
        return leaving
    }

    private func handOver(to generation: Generation, of module: Module) throws {
        if let current = module.current {
            let version = min(current.stateVersion, generation.stateVersion)
            do {
                guard let snapshot = try current.instance.snapshot(version: version) else { return }
                try generation.instance.restore(snapshot)
            } catch {
                throw ModuleError.handOver(
                    generation.name, from: "\(current.version)", to: "\(generation.version)", error)
            }
        } else if let kept = module.keptState, kept.version <= generation.stateVersion {
            do {
                try generation.instance.restore(kept)
            } catch {
                throw ModuleError.failed(generation.name, in: "take its state back", error)
            }
        }
    }

    private func keepState(of module: Module) {
        guard let current = module.current else { return }
        module.keptState = try? current.instance.snapshot(version: current.stateVersion)
    }

    /// Makes the next state of the modules the present one.
    private func takeOver() -> [Generation] {
        var leaving: [Generation] = []
        for departure in next.departures {
            let module = departure.module
            if let generation = module.current { leaving.append(generation) }
            retire(module)
            module.state = departure.isRemoved ? .stopped : .waiting(departure.reason)
            runtime.started.removeAll { $0 === module }
        }
        let replaced = arrivals.filter { $0.module.current != nil }
        leaving += replaced.reversed().compactMap(\.module.current)
        for (module, generation) in all {
            if let current = module.current { keep(current.candidate, asPreviousOf: module, generation) }
            let isNew = module.current == nil
            retire(module)
            module.current = generation
            module.candidate = generation.candidate
            module.manifest = generation.candidate.manifest
            module.path = generation.candidate.source
            module.keptState = nil
            module.wasActive = true
            module.state = .active
            if isNew { runtime.started.append(module) }
        }
        runtime.modules = next.list
        for (module, candidate) in next.settled { settle(module, candidate) }
        for (name, reason) in next.waiting {
            if let module = runtime.module(name), module.current == nil { module.state = .waiting(reason) }
        }
        return leaving
    }

    /// Keeps the build that rollback returns to, and forgets the copy of the one before it.
    private func keep(_ candidate: Candidate, asPreviousOf module: Module, _ next: Generation) {
        guard candidate.digest != next.candidate.digest else { return }
        if let former = module.previous, former.digest != candidate.digest,
            former.digest != next.candidate.digest
        {
            runtime.reader.store.forget(former.library)
        }
        module.previous = candidate
    }

    private func settle(_ module: Module, _ candidate: Candidate) {
        module.candidate = candidate
        module.manifest = candidate.manifest
        module.path = candidate.source
        module.state = .resolved
    }

    private func retire(_ module: Module) {
        guard let generation = module.current else { return }
        module.drained += module.retired.filter(\.isDrained).map { ($0.digest, $0.mapped) }
        module.retired.removeAll(where: \.isDrained)
        module.retired.append(RetiredGeneration(generation))
        module.current = nil
    }
}
