internal import AtriumManifest

/// Determines which modules can start, and their order: each after those that it requires and uses.
///
/// Pure, and reports everything at once: missing modules, wrong versions, and cycles with their path. Modules
/// that require one that can't start wait; all others start. A module that is only used keeps no module waiting,
/// and a use that would close a cycle does not count in the order.
struct Resolver {
    /// For every module, its position in the order or a reason.
    struct Resolution {
        /// The modules that can start, required ones first, otherwise in the order given.
        var order: [String] = []
        /// The reasons why modules have to wait.
        var waiting: [String: String] = [:]
        /// Modules that require each other, with the path of the cycle.
        var cycles: [String: [String]] = [:]
        /// The modules that a module uses, and which nevertheless start after it: they need it themselves.
        var later: [String: [String]] = [:]
    }

    private let manifests: [String: ModuleManifest]
    /// Modules that are configured, but can't be loaded.
    private let unusable: Set<String>
    /// Modules that have to wait for another reason than a module that they require.
    private let withheld: [String: String]
    private var resolution = Resolution()
    private var visited: Set<String> = []

    static func resolve(
        _ manifests: [ModuleManifest], unusable: Set<String> = [], withheld: [String: String] = [:]
    ) -> Resolution {
        var resolver = Resolver(
            manifests: Dictionary(manifests.map { ($0.name, $0) }) { first, _ in first }, unusable: unusable,
            withheld: withheld)
        for manifest in manifests { resolver.visit(manifest.name, path: []) }
        resolver.orderUses()
        return resolver.resolution
    }

    /// Moves modules after those that they use, and keeps the order otherwise.
    private mutating func orderUses() {
        guard resolution.order.contains(where: { manifests[$0]?.uses.isEmpty == false }) else { return }
        let starting = Set(resolution.order)
        var before = Dictionary(
            uniqueKeysWithValues: resolution.order.map { ($0, manifests[$0]?.requires.map(\.name) ?? []) })
        for name in resolution.order {
            for use in manifests[name]?.uses ?? [] where starting.contains(use.name) {
                guard let used = manifests[use.name], use.range.contains(used.version) else { continue }
                if Self.closure(of: use.name, before).contains(name) {
                    resolution.later[name, default: []].append(use.name)
                } else {
                    before[name, default: []].append(use.name)
                }
            }
        }
        var visited: Set<String> = []
        resolution.order = resolution.order.flatMap { name in
            var order: [String] = []
            func visit(_ name: String) {
                guard visited.insert(name).inserted else { return }
                before[name]?.forEach(visit)
                order.append(name)
            }
            visit(name)
            return order
        }
    }

    /// A module, and all that come before it, directly or through others.
    private static func closure(of name: String, _ before: [String: [String]]) -> Set<String> {
        var found: Set<String> = []
        var open = [name]
        while let next = open.popLast() {
            if found.insert(next).inserted { open += before[next] ?? [] }
        }
        return found
    }

    private init(manifests: [String: ModuleManifest], unusable: Set<String>, withheld: [String: String]) {
        self.manifests = manifests
        self.unusable = unusable
        self.withheld = withheld
    }

    private mutating func visit(_ name: String, path: [String]) {
        if let start = path.firstIndex(of: name) {
            let cycle = Array(path[start...])
            for member in cycle { resolution.cycles[member] = cycle + [cycle[0]] }
            return
        }
        guard let manifest = manifests[name], visited.insert(name).inserted else { return }
        for requirement in manifest.requires { visit(requirement.name, path: path + [name]) }
        guard resolution.cycles[name] == nil else { return }
        if let reason = withheld[name] {
            resolution.waiting[name] = reason
            return
        }
        let problems = manifest.requires.compactMap(problem)
        if problems.isEmpty {
            resolution.order.append(name)
        } else {
            resolution.waiting[name] = "it requires " + problems.joined(separator: "; and ") + "."
        }
    }

    private func problem(_ requirement: Requirement) -> String? {
        let name = requirement.name
        let required = "\(name) \(requirement.range)"
        guard let provider = manifests[name] else {
            return "\(required), which " + (unusable.contains(name) ? "can't be loaded" : "is not installed")
        }
        guard requirement.range.contains(provider.version) else {
            return "\(required), but \(name) is \(provider.version)"
        }
        if resolution.cycles[name] != nil { return "\(required), which is part of a dependency cycle" }
        return resolution.waiting[name] == nil ? nil : "\(required), which is waiting itself"
    }
}
