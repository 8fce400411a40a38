@_spi(Host) internal import AtriumKit
internal import AtriumLibraries

/// Carries out a change of the modules: at start-up, on demand, or by a command.
///
/// The steps: the arriving libraries are opened and register in a staged container; they are activated in it;
/// shared values that the change affects are rebuilt; state is handed over; everything is published in one
/// turn of the main actor. A failure before publication leaves the running state unchanged. At start-up there
/// is no running state: a module that fails is left out, with those that require it, and the others are
/// published.
@MainActor
final class Transaction {
    let runtime: ModuleRuntime
    private(set) var change: ResolvedChange
    let staged: StagedChange
    typealias Loaded = (module: Module, generation: Generation)
    var loaded: [Loaded] = []
    /// Modules that a factory of the staged container required; part of the change, and activated after it.
    private var loadedOnDemand: [Loaded] = []
    private var activated: [Generation] = []
    /// The generations whose bound registrations come or go, with the modules that are present afterwards.
    var rebound: [(generation: Generation, present: Set<String>)] = []
    private(set) var isActivating = false
    /// The activation that the current task belongs to: modules that it requires on demand can't wait for the
    /// end of the transaction.
    @TaskLocal static var activating: Activation?

    /// Refers to a transaction weakly: tasks that an activation starts inherit it, and may never end.
    final class Activation: Sendable {
        @MainActor weak var transaction: Transaction?

        @MainActor init(_ transaction: Transaction) { self.transaction = transaction }
    }
    /// The previous state, which leaving generations resolve in while they stop.
    private var past: Container?
    private(set) var published: ContainerChange?
    /// The links of the stack entries whose screens it rebuilt; empty at start-up.
    private(set) var affectedScreens: [String] = []
    /// The databases restored from copies, with their previous version and their present one.
    var restored: [(copies: MigrationCopies, version: Int, changed: ChangeIntent.Database)] = []
    var migrated: [Migrated] = []
    var toldMigrations = 0
    /// The events for the report, in order.
    var events: [ModuleEvent] = []

    init(_ change: ResolvedChange, of runtime: ModuleRuntime) {
        self.change = change
        self.runtime = runtime
        // At start-up there is nothing to preserve, so the next state needs no separate container.
        staged = StagedChange(
            of: runtime.container,
            inPlace: change.request.cause == .startUp && runtime.container.version == 0)
        for generation in change.leaving { staged.remove(generation.scope) }
    }

    var isStartUp: Bool { change.request.cause == .startUp }

    /// True if a container is the staged one, separate from the running one.
    func stages(_ container: Container) -> Bool {
        container === staged.next && container !== runtime.container
    }

    // MARK: - Running

    /// Prepares and publishes the change, and stops what it replaces.
    ///
    /// - Parameter activates: Whether modules are activated, or only registered, to verify them.
    /// - Throws: The first failure; nothing was published then.
    func run(activates: Bool = true) async throws {
        runtime.transactions.append(self)
        defer { runtime.transactions.removeAll { $0 === self } }
        let leaving: [Generation]
        do {
            try await prepare(activates: activates)
            try Task.checkCancellation()
            leaving = try publish()
            notifySite()
        } catch {
            await undo()
            throw error
        }
        await activatePublished()
        for generation in leaving {
            for step in await generation.stop(within: runtime.stepLimit) {
                let limit = runtime.stepLimit.components.seconds
                tell("overdue", "\(step) did not end within \(limit) s.")
            }
        }
        // They have stopped: nothing resolves in the previous state any more.
        past = nil
    }

    /// Adds an event to the report; nothing without a message.
    func tell(
        _ code: ErrorCode, _ message: String?, _ level: ModuleEvent.Level = .warning
    ) {
        guard let message else { return }
        events.append(ModuleEvent(level: level, code: code, message: message))
    }

    /// Loads and publishes the change without an await; ``activatePublished()`` has to follow.
    ///
    /// - Returns: The generations to stop.
    /// - Throws: The first failure; nothing was published then.
    func runNow() throws -> [Generation] {
        do {
            try bind()
            for arrival in change.arrivals { try load(arrival) }
            try runtime.site.check(screens, replacingThoseOf: namesOfReplaced)
            let leaving = try publish()
            loadedOnDemand = loaded
            return leaving
        } catch {
            staged.discard()
            throw error
        }
    }

    // MARK: - Before publication

    private func prepare(activates: Bool) async throws {
        for arrival in change.arrivals where change.includes(arrival.module) {
            do {
                try load(arrival)
            } catch {
                try await leaveOut(arrival.module, error)
            }
            if !isStartUp { await Task.yield() }  // lets commands run between two steps
        }
        try await checkScreens()
        let version = runtime.container.version
        if change.request.cause == .rollback { try await restoreData() }
        if activates { try await activate() }
        guard !isStartUp else {
            if activates { try await migrate() }
            // Modules that an activation loaded on demand have screens too.
            if runtime.container.version != version { try await checkScreens() }
            return
        }
        await Task.yield()
        try staged.rebuild()
        await Task.yield()
        try await migrate()
    }

    private func load(_ arrival: ResolvedChange.Arrival) throws {
        guard let library = arrival.library else {
            preconditionFailure("Module '\(arrival.module.name)' is loaded before its library was checked.")
        }
        if isStartUp { arrival.module.state = .starting }
        let generation = try runtime.load(library, as: arrival.module, change.request)
        stageDatabase(of: generation, isNew: change.tried.contains(arrival.module.name))
        setPresent(for: generation)
        try staged.add(generation.registry)
        loaded.append((arrival.module, generation))
    }

    private func activate() async throws {
        isActivating = true
        defer {
            isActivating = false
            // Restore once for all modules: checks in between would slow down the start, and the preflight
            // has done them.
            runtime.restoreProcess(after: "activated", activated.map(\.name))
        }
        for (module, generation) in loaded where change.includes(module) {
            activated.append(generation)
            do {
                try await Self.$activating.withValue(Activation(self)) {
                    try await generation.activate(in: staged.next, within: runtime.stepLimit)
                }
            } catch {
                try await leaveOut(module, error)
            }
        }
    }

    // MARK: - Screens

    var all: [Loaded] { loaded + loadedOnDemand }
    private var screens: [ScreenRegistration] { (all.map(\.generation) + staying).flatMap(screens) }
    private var namesOfReplaced: Set<String> {
        Set(
            change.departures.map(\.module.name) + change.arrivals.map(\.module.name) + all.map(\.module.name)
                + staying.map(\.name))
    }

    /// Checks all screens together; at start-up determines which modules' screens can't be added.
    private func checkScreens() async throws {
        do {
            try runtime.site.check(screens, replacingThoseOf: namesOfReplaced)
        } catch {
            guard isStartUp else { throw error }
            var accepted: [ScreenRegistration] = []
            for (module, generation) in loaded where change.includes(module) {
                do {
                    try runtime.site.check(accepted + screens(of: generation), replacingThoseOf: [])
                    accepted += screens(of: generation)
                } catch {
                    try await leaveOut(module, error)
                }
            }
        }
    }

    // MARK: - Failures

    /// Leaves a failed module out of a start-up, with those that require it; rethrows for any other change.
    func leaveOut(_ module: Module, _ error: any Error) async throws {
        try change.leaveOut([(module, error)])
        for (module, generation) in loaded.reversed() where !change.includes(module) {
            await stopUnpublished(generation)
            staged.remove(generation.scope)
        }
        loaded.removeAll { !change.includes($0.module) }
        try bind()
    }

    private func stopUnpublished(_ generation: Generation) async {
        let wasActivated = activated.contains { $0 === generation }
        activated.removeAll { $0 === generation }
        if wasActivated { _ = await generation.stop(within: runtime.stepLimit) }
        generation.scope.tasks.cancel()
        generation.database?.discard()
    }

    /// Discards the staged state and stops what was activated in it.
    private func undo() async {
        // The generations may still resolve while they stop.
        for (_, generation) in all.reversed() { await stopUnpublished(generation) }
        staged.discard()
        for (copies, version, _) in restored { try? copies.putBack(version) }
    }

    // MARK: - On demand

    /// Adds a module that a factory of the staged container requires.
    func add(_ library: CheckedLibrary, for module: Module) throws {
        let generation = try runtime.load(library, as: module, change.request)
        // At start, other modules already hold its services; migrate lazily on first use instead.
        stageDatabase(of: generation, isNew: !isStartUp)
        setPresent(for: generation)
        try staged.add(generation.registry)
        do {
            try runtime.site.check(
                screens + generation.screens, replacingThoseOf: namesOfReplaced.union([module.name]))
        } catch {
            staged.remove(generation.scope)
            generation.database?.discard()
            throw error
        }
        loadedOnDemand.append((module, generation))
    }

    /// True if the change has loaded a module that is not published yet.
    func loads(_ name: String) -> Bool {
        all.contains { $0.module.name == name && change.includes($0.module) }
    }

    /// Activates the modules that were loaded without an await; a module that fails is stopped again.
    func activatePublished() async {
        isActivating = true
        defer { isActivating = false }
        for (module, generation) in loadedOnDemand {
            do {
                defer { runtime.restoreProcess(after: "activated", [module.name]) }
                try await Self.$activating.withValue(Activation(self)) {
                    try await generation.activate(in: runtime.container, within: runtime.stepLimit)
                }
            } catch {
                guard module.current === generation else { continue }
                await runtime.stop(module, because: ModuleError.explained(error, of: module.name))
            }
        }
        loadedOnDemand = []
    }

    // MARK: - Publication

    /// Hands state over and publishes everything, in one turn of the main actor.
    ///
    /// - Returns: The generations to stop, in order.
    /// - Throws: An error if state can't be handed over, or the running state has changed in between.
    private func publish() throws -> [Generation] {
        for (module, generation) in loaded { try handOver(to: generation, of: module) }
        for current in change.departures.compactMap(\.module.current) {
            tell("stateNotKept", runtime.keepState(of: current))
        }
        if !change.departures.isEmpty || loaded.contains(where: { $0.module.current != nil }) {
            runtime.work.hold(runtime.container)
            past = runtime.container.hold()
        }
        for module in change.departures.map(\.module) + all.map(\.module) {
            module.current?.willRetire(from: runtime.site)
        }
        published = try staged.publish { try commitDatabases() }
        runtime.site.exchange(screens, replacingThoseOf: namesOfReplaced)
        return updateModules()
    }

    /// Lets the host rebuild screens that hold replaced objects; not called within a factory.
    func notifySite() {
        guard let published else { return }
        if !isStartUp { affectedScreens = runtime.site.screens(affectedBy: published) }
        runtime.site.didExchange(published)
    }

    private func handOver(to generation: Generation, of module: Module) throws {
        guard let current = module.current else {
            return tell("stateUnfit", runtime.returnState(to: generation))
        }
        guard !change.request.leavesState else {
            return tell("stateLeft", runtime.keepEarlierState(of: current))
        }
        let version = min(current.stateVersion, generation.stateVersion)
        do {
            if let snapshot = try current.snapshot(version: version) {
                try generation.restore(snapshot)
            }
        } catch {
            throw ModuleError.handOver(
                generation.name, from: "\(current.version)", to: "\(generation.version)", error,
                change.request.command)
        }
        tell("stateOffered", runtime.offerState(to: generation))
    }

    /// Makes the next state of the modules the current one.
    private func updateModules() -> [Generation] {
        var leaving: [Generation] = []
        for departure in change.departures {
            let module = departure.module
            if let generation = module.current { leaving.append(generation) }
            retire(module)
            module.state = departure.nextState
            runtime.started.removeAll { $0 === module }
        }
        leaving += loaded.reversed().compactMap(\.module.current)
        for (module, generation) in all {
            if let current = module.current { keep(current.library, asPreviousOf: module, generation) }
            if module.current == nil { runtime.started.append(module) }
            retire(module)
            module.current = generation
            module.setLibrary(generation.library)
            module.wasActive = true
            module.state = .active
        }
        for (module, generation) in loaded {
            let infrastructure = generation.scope.infrastructure
            infrastructure.mocks.configure(module.name, infrastructure.configuration)
        }
        runtime.modules = change.list
        runtime.configurationChanges = runtime.configurationChanges.edited(by: change.request.configurations)
        for (module, library) in change.settled {
            module.setLibrary(library)
            module.state = .resolved
        }
        for (name, reason) in change.waiting {
            if let module = runtime.module(name), module.current == nil { module.state = .waiting(reason) }
        }
        for (module, state) in change.leftOut { module.state = state }
        ModulePrints.setActive(runtime.started.map(\.name))
        return leaving
    }

    /// Keeps the builds that a rollback returns to, and removes the copy of the oldest.
    private func keep(_ library: CheckedLibrary, asPreviousOf module: Module, _ next: Generation) {
        guard library.digest != next.library.digest else { return }
        if let former = module.previous { module.older.insert(former.copy, at: 0) }
        module.older.removeAll { $0 == library.copy || $0 == next.library.copy }
        if module.older.count > Module.olderCount { runtime.reader.store.remove(module.older.removeLast()) }
        module.previous = library
    }

    private func retire(_ module: Module) {
        guard let generation = module.current else { return }
        module.drained += module.retired.filter(\.isDrained).map { ($0.digest, $0.mapped) }
        module.retired.removeAll(where: \.isDrained)
        module.retired.append(RetiredGeneration(generation))
        module.current = nil
    }
}
