internal import AtriumManifest

/// The modules as a change leaves them, before anything is loaded: who starts, who is replaced, who leaves,
/// who waits.
@MainActor
struct NextModules {
    /// A generation that is to be loaded.
    @MainActor struct Arrival {
        let module: Module
        let candidate: Candidate
        let reason: String
        var replaces: Bool { module.current != nil }
    }

    /// A module that stops: it leaves, or has to wait.
    struct Departure {
        let module: Module
        let reason: String
        let isRemoved: Bool
    }

    /// In the order in which they are started.
    private(set) var arrivals: [Arrival] = []
    /// In the order in which they are stopped.
    private(set) var departures: [Departure] = []
    /// Why modules wait.
    private(set) var waiting: [String: String] = [:]
    /// Modules whose library changes without being loaded now: they wait, or for being wanted.
    private(set) var settled: [(module: Module, candidate: Candidate)] = []
    /// The modules that are new on the list.
    private(set) var added: [Module] = []
    /// All modules that are on the list afterwards.
    let list: [Module]

    private let runtime: ModuleRuntime
    private let request: ChangeRequest
    private let resolution: Resolver.Resolution
    private var manifests: [String: ModuleManifest] = [:]

    /// - Throws: ``ModuleError`` for everything that is wrong with what is asked, at once.
    init(_ request: ChangeRequest, of runtime: ModuleRuntime) throws {
        self.request = request
        self.runtime = runtime
        added = request.additions.map { candidate in
            let former = runtime.removed[candidate.name]
            return Module(
                .init(
                    name: candidate.name, path: candidate.source, configuration: former?.configuration ?? []),
                origin: .added)
        }
        list = runtime.modules.filter { !request.removals.contains($0.name) } + added
        let changed = Dictionary(
            (request.additions + request.updates).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        for module in list { manifests[module.name] = changed[module.name]?.manifest ?? module.manifest }
        let manifests = manifests
        let candidates = list.compactMap { module -> Resolver.Candidate? in
            guard module.isUsable || changed[module.name] != nil || request.demands.contains(module.name)
            else { return nil }
            return manifests[module.name].map {
                Resolver.Candidate(name: $0.name, version: $0.version, requires: $0.requires)
            }
        }
        let unusable = Set(list.map(\.name)).subtracting(candidates.map(\.name))
        resolution = Resolver.resolve(candidates, unreadable: unusable)
        waiting = resolution.waiting
        try check()
        findDepartures()
        try findArrivals(changed)
    }

    // MARK: - What is wrong with the request

    private func check() throws {
        var errors: [ModuleError] = []
        for candidate in request.additions {
            if runtime.module(candidate.name) != nil { errors.append(.alreadyThere(candidate.name)) }
        }
        for (name, count) in counts(request.additions + request.updates) where count > 1 {
            errors.append(.twice(name))
        }
        for candidate in request.additions + request.updates {
            if let path = resolution.cycles[candidate.name] { errors.append(.cycle(path)) }
        }
        for candidate in request.updates {
            guard let reason = waiting[candidate.name], runtime.module(candidate.name)?.current != nil else {
                continue
            }
            errors.append(.wouldWait(candidate.name, "\(candidate.version)", reason))
        }
        for name in request.demands {
            if let module = runtime.module(name), case .quarantined = module.state {
                errors.append(.notActive(name, state: module.state))
            }
            if manifests[name] == nil, let module = runtime.module(name) {
                errors.append(.notActive(name, state: module.state))
            }
            if let reason = waiting[name] { errors.append(.wouldWait(name, nil, reason)) }
            if let path = resolution.cycles[name] { errors.append(.cycle(path)) }
        }
        if let error = ModuleError.all(errors) { throw error }
    }

    private func counts(_ candidates: [Candidate]) -> [(key: String, value: Int)] {
        Dictionary(candidates.map { ($0.name, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
    }

    // MARK: - Who leaves

    private mutating func findDepartures() {
        for module in runtime.started.reversed() where module.current != nil {
            if request.removals.contains(module.name) {
                departures.append(Departure(module: module, reason: "it is removed", isRemoved: true))
            } else if let reason = waiting[module.name] {
                departures.append(Departure(module: module, reason: reason, isRemoved: false))
            } else if let path = resolution.cycles[module.name] {
                waiting[module.name] =
                    "it is part of a circle of requirements: \(path.joined(separator: " → "))."
                departures.append(
                    Departure(module: module, reason: waiting[module.name] ?? "", isRemoved: false))
            }
        }
    }

    // MARK: - Who arrives

    private mutating func findArrivals(_ changed: [String: Candidate]) throws {
        let byName = Dictionary(list.map { ($0.name, $0) }) { first, _ in first }
        for name in resolution.order {
            guard let module = byName[name] else { continue }
            let change = changed[name]
            if module.current != nil {
                guard let change else { continue }
                arrivals.append(
                    Arrival(
                        module: module, candidate: change,
                        reason: request.cause == .rollback
                            ? "it is rolled back to the build before" : "its library changed"))
            } else if wants(module) {
                let candidate = try change ?? runtime.candidate(of: module)
                arrivals.append(Arrival(module: module, candidate: candidate, reason: reason(for: module)))
            } else if let change {
                settled.append((module, change))
            }
        }
        for module in list where module.current == nil && waiting[module.name] != nil {
            if let change = changed[module.name] { settled.append((module, change)) }
        }
    }

    /// Whether a module that is not there is to be started now.
    private func wants(_ module: Module) -> Bool {
        if request.demands.contains(module.name) { return true }
        if module.wasActive { return true }
        return manifests[module.name]?.activation == .startup
    }

    private func reason(for module: Module) -> String {
        if request.demands.contains(module.name) { return "it is wanted" }
        return added.contains { $0 === module } ? "it is added" : "what it requires is there"
    }
}

extension Module {
    /// Whether it may take part: it is there, on demand, or waits.
    var isUsable: Bool {
        switch state {
        case .active, .resolved, .waiting, .starting: true
        case .discovered, .stopping, .stopped, .failed, .quarantined: false
        }
    }
}
