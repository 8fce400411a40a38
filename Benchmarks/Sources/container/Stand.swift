@_spi(Host) import AtriumKit
import BenchSupport
import ContainerModule

/// A container with the objects and loops of ContainerModule, beside a number of other registrations.
@MainActor
final class Stand {
    let container = Container(environment: .mock)
    private var screens: [ObjectIdentifier: ScreenRegistration] = [:]
    private var walk: ModuleScope?
    private let nowhere = StationaryNavigator()

    /// Registers the loops, and `others` as registrations of the same module.
    ///
    /// They belong to the same module because a module's lookup contains only what it has resolved itself;
    /// registrations of other modules would make no difference.
    ///
    /// - Throws: Any error of the container.
    init(with others: [FillerModule] = []) throws {
        try add("Loops", requiring: []) { registry in
            for other in others { other.register(in: registry, .transient) }
            Loops.register(in: registry)
            if !others.isEmpty { FillerModule.registerWalk(of: others, in: registry) }
        }
    }

    /// Adds a module whose screen resolves all of `modules`; replaces the previous one.
    func addWalk(of modules: [FillerModule]) throws {
        if let walk { container.remove(walk) }
        walk = try add("Walk", requiring: modules) { FillerModule.registerWalk(of: modules, in: $0) }
    }

    @discardableResult
    private func add(
        _ name: String, requiring others: [FillerModule], _ register: @MainActor (ModuleRegistry) -> Void
    ) throws -> ModuleScope {
        let scope = ModuleScope(
            name: name, requires: Set(others.map(Self.name)), infrastructure: noInfrastructure)
        let registry = ModuleRegistry(scope: scope)
        register(registry)
        try container.add(registry)
        for screen in registry.screens { screens[screen.destinationType] = screen }
        return scope
    }

    /// Adds a module of a hundred registrations.
    @discardableResult
    func add(_ module: FillerModule, _ lifetime: Lifetime) throws -> ModuleScope {
        let scope = ModuleScope(name: Self.name(module), infrastructure: noInfrastructure)
        let registry = ModuleRegistry(scope: scope)
        module.register(in: registry, lifetime)
        try container.add(registry)
        return scope
    }

    static func name(_ module: FillerModule) -> String { "Module\(module.number)" }

    func show<Target: Destination>(_ destination: Target) throws {
        _ = try screens[ObjectIdentifier(Target.self)]!.build(destination, in: container, navigator: nowhere)
    }

    /// Runs the loop of `what`; ``LoopWatch`` has its time.
    func run(_ what: Case) throws {
        switch what {
        case .viewModel: try show(ViewModelsDestination())
        case .screen:
            let screen = screens[ObjectIdentifier(SaleDestination.self)]!
            let start = LoopWatch.start()
            for _ in 0..<LoopWatch.times {
                _ = try screen.build(SaleDestination(), in: container, navigator: nowhere)
            }
            LoopWatch.stop(start)
        default:
            Loops.next = what
            try show(LoopDestination())
        }
    }

    /// Runs every loop often enough that later runs do nothing for the first time.
    func warmUp() throws {
        LoopWatch.times = 2
        for what in Case.allCases {
            for _ in 0..<3 { try run(what) }
        }
    }
}
