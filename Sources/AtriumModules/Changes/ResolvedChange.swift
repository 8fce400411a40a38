internal import AtriumLibraries
internal import AtriumManifest

/// The effect of a change on each module, derived from manifests alone: nothing is loaded or copied yet.
///
/// A module's failure throws, except at start-up: there the module is left out, with those that require it.
@MainActor
struct ResolvedChange {
    /// A module that gets a generation.
    struct Arrival {
        let module: Module
        /// Nil until it has been copied and checked.
        var library: CheckedLibrary?
        let reason: String
        /// The build that it is rolled back to, in words.
        var formerBuild: String?
        /// True if only its configuration changes.
        var isReconfigured = false
    }

    /// A module that stops because it is removed, has to wait, or failed.
    struct Departure {
        let module: Module
        let reason: String
        let nextState: ModuleState
        var isRemoved: Bool { if case .stopped = nextState { true } else { false } }
    }

    let request: ChangeRequest
    /// In the order in which they are loaded and activated.
    private(set) var arrivals: [Arrival] = []
    /// In the order in which they are stopped.
    private(set) var departures: [Departure] = []
    private(set) var waiting: [String: String] = [:]
    /// Modules whose library changes without being loaded now: they wait or are loaded on demand.
    private(set) var settled: [(module: Module, library: CheckedLibrary)] = []
    /// The states of modules that have been left out.
    private(set) var leftOut: [(module: Module, state: ModuleState)] = []
    /// The modules whose libraries were new to this host, and tried.
    var tried: Set<String> = []
    /// All modules on the list after the change.
    let list: [Module]

    let manifests: [String: ModuleManifest]

    /// Resolves the requirements of all modules as they will be after the change.
    ///
    /// - Throws: ``ModuleError`` that lists all problems of the request at once.
    init(_ request: ChangeRequest, of runtime: ModuleRuntime) throws {
        self.request = request
        let added = request.additions.map { library in
            Module(
                .init(
                    name: library.name, path: library.source,
                    configuration: runtime.removed[library.name]?.configuration ?? []),
                origin: .added)
        }
        list = runtime.modules.filter { !request.removals.contains($0.name) } + added
        let changed = Dictionary(
            (request.additions + request.updates).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        var manifests: [String: ModuleManifest] = [:]
        for module in list { manifests[module.name] = changed[module.name]?.manifest ?? module.manifest }
        self.manifests = manifests
        let starts = Set(request.starts)
        let usable = list.filter {
            $0.isUsable || changed[$0.name] != nil || starts.contains($0.name)
        }.compactMap { manifests[$0.name] }
        let withheld = runtime.waitingForContracts(usable, changed.values.map(\.source))
        let resolution = Resolver.resolve(
            usable, unusable: Set(list.map(\.name)).subtracting(usable.map(\.name)), withheld: withheld)
        waiting = resolution.waiting
        try check(resolution, withheld, runtime)
        findDepartures(resolution, runtime)
        findArrivals(resolution, changed, starts, runtime)
        if request.cause != .startUp { try checkPoints() }
    }

    /// Loads one module whose requirements are met, without any other effect.
    init(loading module: Module, _ library: CheckedLibrary?, of runtime: ModuleRuntime) {
        request = ChangeRequest(starting: module)
        list = runtime.modules
        manifests = [:]
        arrivals = [Arrival(module: module, library: library, reason: Self.onDemand)]
    }

    /// Stops one module that failed or is quarantined, without any other effect.
    init(stopping module: Module, as state: ModuleState, of runtime: ModuleRuntime) {
        request = ChangeRequest(.onDemand)
        list = runtime.modules
        manifests = [:]
        departures = [Departure(module: module, reason: "it failed", nextState: state)]
    }

    /// The modules that a module requires or uses, of those that are there after the change.
    func present(for user: ModuleManifest) -> Set<String> {
        user.present { name in
            guard let module = list.first(where: { $0.name == name }), isAvailableAfterwards(module) else {
                return nil
            }
            return (manifests[name] ?? module.manifest)?.version
        }
    }

    private func isAvailableAfterwards(_ module: Module) -> Bool {
        if includes(module) { return true }
        let isStopped = departures.contains { $0.module === module } || waiting[module.name] != nil
        guard !isStopped, !leftOut.contains(where: { $0.module === module }) else { return false }
        return module.state.isAvailable || settled.contains { $0.module === module }
    }

    // MARK: - Checking the request

    private func check(
        _ resolution: Resolver.Resolution, _ withheld: [String: String], _ runtime: ModuleRuntime
    ) throws {
        guard request.cause != .startUp else { return }
        var errors: [ModuleError] = []
        for library in request.additions where runtime.module(library.name) != nil {
            errors.append(
                ModuleError(
                    .alreadyThere, "There is a module '\(library.name)' already.",
                    hint: "module update \(library.name), or module remove \(library.name) first."))
        }
        let libraries = request.additions + request.updates
        for library in libraries {
            if let path = resolution.cycles[library.name] { errors.append(.cycle(path)) }
        }
        for library in request.updates {
            guard let reason = waiting[library.name], runtime.module(library.name)?.current != nil else {
                continue
            }
            errors.append(
                .wouldWait(
                    library.name, "\(library.version)", reason, untilNextStart: withheld[library.name] != nil)
            )
        }
        for name in request.starts {
            guard let module = runtime.module(name) else { continue }
            if module.isQuarantined || manifests[name] == nil {
                errors.append(.notActive(name, state: module.state))
            }
            if let reason = waiting[name] {
                errors.append(.wouldWait(name, nil, reason, untilNextStart: withheld[name] != nil))
            }
            if let path = resolution.cycles[name] { errors.append(.cycle(path)) }
        }
        if let error = ModuleError.all(errors) { throw error }
    }

    // MARK: - Departures and arrivals

    private mutating func findDepartures(_ resolution: Resolver.Resolution, _ runtime: ModuleRuntime) {
        for (name, path) in resolution.cycles { waiting[name] = ModuleError.cycle(path).message }
        for module in runtime.started.reversed() where module.current != nil {
            if request.removals.contains(module.name) {
                departures.append(Departure(module: module, reason: "it is removed", nextState: .stopped))
            } else if let reason = waiting[module.name] {
                departures.append(Departure(module: module, reason: reason, nextState: .waiting(reason)))
            }
        }
        guard request.cause == .startUp else { return }
        for (name, path) in resolution.cycles {
            waiting[name] = nil
            if let module = runtime.module(name) {
                leftOut.append((module, .failed(ModuleError.cycle(path))))
            }
        }
    }

    private mutating func findArrivals(
        _ resolution: Resolver.Resolution, _ changed: [String: CheckedLibrary], _ starts: Set<String>,
        _ runtime: ModuleRuntime
    ) {
        let byName = Dictionary(list.map { ($0.name, $0) }) { first, _ in first }
        for name in resolution.order {
            guard let module = byName[name] else { continue }
            let library = changed[name]
            if request.configurations[name] != nil, library == nil {
                // Load another generation of the same build. A module that is not running takes its values on
                // loading, except one that failed.
                guard
                    starts.contains(name)
                        || module.current != nil && runtime.isReconfigured(module, by: request)
                else { continue }
                arrivals.append(
                    Arrival(
                        module: module, library: module.current?.library ?? module.usableLibrary,
                        reason: runtime.reason(for: module, request), isReconfigured: true))
            } else if module.current != nil {
                guard let library else { continue }
                let former = request.cause == .rollback ? runtime.words(forBuild: library) : nil
                let reason = former.map { "it is rolled back to \($0)" } ?? "its library changed"
                arrivals.append(
                    Arrival(module: module, library: library, reason: reason, formerBuild: former))
            } else if starts.contains(name) {
                arrivals.append(
                    Arrival(module: module, library: module.usableLibrary, reason: Self.onDemand))
            } else if startsByItself(module) {
                let isUpdate = request.updates.contains { $0.name == name }
                let change = request.cause == .rollback ? "a former build starts" : "its library changed"
                let reason =
                    library == nil ? "its requirements are met" : isUpdate ? change : "it is added"
                arrivals.append(
                    Arrival(module: module, library: library ?? module.usableLibrary, reason: reason))
            } else if let library {
                settled.append((module, library))
            }
        }
        for module in list where module.current == nil && waiting[module.name] != nil {
            if let library = changed[module.name] { settled.append((module, library)) }
        }
    }

    /// True if a module without a generation starts automatically once it can.
    private func startsByItself(_ module: Module) -> Bool {
        request.cause != .startUp && (module.wasActive || manifests[module.name]?.activation == .startup)
    }

    private static let onDemand = "it is required now"

    /// The generations that are stopped or replaced.
    var leaving: [Generation] {
        departures.compactMap(\.module.current) + arrivals.compactMap(\.module.current)
    }

    // MARK: - Later findings

    mutating func setLibrary(_ library: CheckedLibrary, of module: Module) {
        guard let index = index(of: module) else { return }
        arrivals[index].library = library
    }

    /// True if a module is still to get a generation.
    func includes(_ module: Module) -> Bool { index(of: module) != nil }

    private func index(of module: Module) -> Int? {
        // An element passed to a closure would be copied.
        arrivals.indices.first { arrivals[$0].module === module }
    }

    /// Leaves failed modules out of a start-up, with those that require them.
    ///
    /// - Throws: The errors, as one, for any other cause: the whole change fails then.
    mutating func leaveOut(_ failures: [(module: Module, error: any Error)]) throws {
        guard request.cause == .startUp else {
            let errors = failures.compactMap { $0.error as? ModuleError }
            guard errors.count == failures.count else { throw failures[0].error }
            if let error = ModuleError.all(errors) { throw error }
            return
        }
        for (module, error) in failures {
            leaveOut(
                module,
                module.isQuarantined ? module.state : .failed(ModuleError.explained(error, of: module.name)))
        }
    }

    /// Leaves a module out and sets its next state, with those that require it.
    mutating func leaveOut(_ module: Module, _ state: ModuleState) {
        guard includes(module) else { return }
        leftOut.append((module, state))
        arrivals.removeAll { $0.module === module }
        for arrival in arrivals {
            guard
                let requirement = manifests[arrival.module.name]?.requires.first(where: {
                    $0.name == module.name
                })
            else { continue }
            leaveOut(
                arrival.module,
                .waiting("it requires \(requirement.name) \(requirement.range), which is not active."))
        }
    }
}

extension Module {
    /// The checked library; nil if it has to be read, as after a failure.
    fileprivate var usableLibrary: CheckedLibrary? {
        if case .failed = state { nil } else { library }
    }

    /// True if it may take part in a change: it is active, loaded on demand, or waiting.
    fileprivate var isUsable: Bool {
        switch state {
        case .active, .resolved, .waiting, .starting: true
        case .discovered, .stopping, .stopped, .leftOut, .failed, .quarantined: false
        }
    }
}
