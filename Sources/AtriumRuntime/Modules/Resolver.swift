internal import AtriumManifest

/// Decides which modules can start, and in which order: each after those that it requires.
///
/// Pure, and reports everything at once: what is missing, what has the wrong version, and circles with
/// their path. A module that can't start lets those wait that require it; all others start.
struct Resolver {
    /// A module whose manifest could be read.
    struct Candidate {
        let name: String
        let version: SemanticVersion
        let requires: [Requirement]
    }

    /// The outcome for every candidate: a place in the order, or a reason.
    struct Resolution {
        /// The modules that can start, required ones first, otherwise in the order given.
        var order: [String] = []
        /// Why a module has to wait.
        var waiting: [String: String] = [:]
        /// Modules that require each other in a circle, with its path.
        var cycles: [String: [String]] = [:]
    }

    private let candidates: [String: Candidate]
    private let names: [String]
    /// Modules that are configured, but whose manifest could not be read.
    private let unreadable: Set<String>
    private var resolution = Resolution()
    private var visited: Set<String> = []

    static func resolve(_ candidates: [Candidate], unreadable: Set<String> = []) -> Resolution {
        var resolver = Resolver(
            candidates: Dictionary(candidates.map { ($0.name, $0) }) { first, _ in first },
            names: candidates.map(\.name), unreadable: unreadable)
        for name in resolver.names { resolver.visit(name, path: []) }
        return resolver.resolution
    }

    private init(candidates: [String: Candidate], names: [String], unreadable: Set<String>) {
        self.candidates = candidates
        self.names = names
        self.unreadable = unreadable
    }

    private mutating func visit(_ name: String, path: [String]) {
        if let start = path.firstIndex(of: name) {
            let circle = Array(path[start...])
            for member in circle { resolution.cycles[member] = circle + [circle[0]] }
            return
        }
        guard let candidate = candidates[name], visited.insert(name).inserted else { return }
        for requirement in candidate.requires { visit(requirement.name, path: path + [name]) }
        guard resolution.cycles[name] == nil else { return }
        let problems = candidate.requires.compactMap(problem)
        if problems.isEmpty {
            resolution.order.append(name)
        } else {
            resolution.waiting[name] = "it requires " + problems.joined(separator: "; and ") + "."
        }
    }

    private func problem(_ requirement: Requirement) -> String? {
        let name = requirement.name
        let wanted = "\(name) \(requirement.range)"
        guard let provider = candidates[name] else {
            return unreadable.contains(name)
                ? "\(wanted), which can't be loaded" : "\(wanted), which is not there"
        }
        guard requirement.range.contains(provider.version) else {
            return "\(wanted), but \(name) is \(provider.version)"
        }
        if resolution.cycles[name] != nil { return "\(wanted), which is part of a circle of requirements" }
        return resolution.waiting[name] == nil ? nil : "\(wanted), which is waiting itself"
    }
}
