/// The registrations of a container, and the dependencies between them.
@_spi(Host) public struct DependencyGraph: Sendable {
    /// The nodes, sorted by module, from screens down to services, and by name.
    public let nodes: [Node]
    /// The edges, in the order in which each factory resolved them.
    public let edges: [Edge]

    /// A registration, a list that modules add to, or a dependency that is not registered.
    public struct Node: Sendable {
        /// The type as users write it, with the registration's name; or the pattern of a screen.
        public let name: String
        /// The type as code writes it: `RecordRepository<Book>`; empty for a screen.
        public let code: String
        public let layer: Layer
        /// The module that registered it; nil for a list and for an unregistered dependency.
        public let module: String?
        /// The lifetime of its values; `shared` for a list and for an unregistered dependency.
        public let lifetime: Lifetime
        /// The types of the arguments that its factory takes, as users write them.
        public let arguments: [String]
        /// True if it keeps a value that its factory has built.
        public let isBuilt: Bool
        /// The number of runs of the factory, except those through code inlined into a module.
        public let builds: Int
        /// The environments with an implementation; empty if the environment makes no difference.
        public let environments: [Environment]
    }

    /// A dependency of one node on another.
    public struct Edge: Sendable, Hashable {
        /// The index in ``nodes`` of the dependent.
        public let from: Int
        /// The index in ``nodes`` of the dependency.
        public let to: Int
        /// The way in which the dependent holds the dependency.
        public let kind: EdgeKind
    }

    /// Returns the dependencies of the node at an index.
    public func edges(from node: Int) -> [Edge] { edges.filter { $0.from == node } }

    /// Returns the dependents of the node at an index.
    public func edges(to node: Int) -> [Edge] { edges.filter { $0.to == node } }
}

extension Container {
    /// The graph known so far: a factory's edges are recorded when it runs.
    public var graph: DependencyGraph {
        var slots = registrations.map { registration in
            let key = registration.key
            return table.slot(key) ?? root.slot(key)
        }
        var keys = Set(slots.map(\.key))
        for target in slots.flatMap(\.edges).map(\.target) where keys.insert(target.key).inserted {
            slots.append(target)
        }
        slots.sort(by: Self.isShownBefore)
        let indexes = Dictionary(uniqueKeysWithValues: slots.enumerated().map { ($1.key, $0) })
        let edges = slots.enumerated().flatMap { from, slot in
            slot.edges.compactMap { edge in
                indexes[edge.target.key].map { DependencyGraph.Edge(from: from, to: $0, kind: edge.kind) }
            }
        }
        return DependencyGraph(nodes: slots.map(DependencyGraph.Node.init), edges: edges)
    }

    /// The value that is kept for a registration, by its name in the graph; nil if none is.
    public func builtValue(of name: String) -> Any? {
        let slots = registrations.lazy.filter { $0.key.name == name }.map {
            self.table.slot($0.key) ?? self.root.slot($0.key)
        }
        return slots.compactMap { $0.implementation ?? $0.box }.first.flatMap {
            Mirror(reflecting: $0).children.first?.value
        }
    }

    private static func isShownBefore(_ left: Slot, _ right: Slot) -> Bool {
        (left.registration?.owner.name ?? "", left.key.layer.height, left.key.name)
            < (right.registration?.owner.name ?? "", right.key.layer.height, right.key.name)
    }
}

extension DependencyGraph.Node {
    @MainActor
    init(_ slot: Slot) {
        name = slot.key.name
        code = slot.key.layer == .screen ? "" : (slot.key.isExistential ? "any " : "") + slot.key.code
        layer = slot.key.layer
        module = slot.registration?.owner.name
        lifetime = slot.registration?.lifetime ?? .shared
        arguments = slot.registration?.argumentTypes.map { RegistrationKey.name(of: $0) } ?? []
        isBuilt = slot.box != nil
        builds = slot.builds
        environments = slot.registration?.environments ?? []
    }
}

extension Layer {
    /// 0 for the topmost layer.
    fileprivate var height: Int {
        switch self {
        case .screen: 0
        case .contribution, .list: 1
        default: 7 - Int(tag)
        }
    }
}
