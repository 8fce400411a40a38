@_spi(Host) package import AtriumKit
package import AtriumManifest

/// One loaded build of a module.
@MainActor
package final class Generation {
    /// Counts the generations of the module in this process, from 1.
    package let number: Int
    package let candidate: Candidate
    package let scope: ModuleScope
    let instance: any FeatureModule
    let registry: ModuleRegistry
    /// The bytes of address space that its library takes.
    let mapped: Int
    /// What it built and was alive when it was replaced.
    private(set) var objectsAtRetirement: BuiltObjects?

    init(
        number: Int, candidate: Candidate, scope: ModuleScope, instance: any FeatureModule,
        registry: ModuleRegistry, mapped: Int = 0
    ) {
        self.number = number
        self.candidate = candidate
        self.scope = scope
        self.instance = instance
        self.registry = registry
        self.mapped = mapped
    }

    /// What it built and is alive now.
    func objects(in site: any ModuleSite) -> BuiltObjects {
        BuiltObjects(of: instance, scope, in: site.container, site.entryObjects)
    }

    /// Records what it built; call it before its registrations leave the container.
    func willRetire(from site: any ModuleSite) {
        objectsAtRetirement = objects(in: site)
    }

    package var name: String { candidate.name }
    package var version: SemanticVersion { candidate.version }
    /// The tasks that it started and that run.
    package var tasksRunning: [String] { scope.tasks.names }
    var screens: [ScreenRegistration] { registry.screens }

    /// The version of the state that it hands over.
    var stateVersion: Int { type(of: instance).stateVersion }

    /// The newest version of its database that it knows.
    var databaseVersion: Int { type(of: instance).migrations.map(\.version).max() ?? 0 }
}

/// A generation that another one has replaced, or whose module left: it stays mapped, and drains.
@MainActor
package final class RetiredGeneration {
    package let number: Int
    package let version: SemanticVersion
    package let digest: String
    let mapped: Int
    /// What it built and was alive when it was replaced.
    let objects: BuiltObjects
    private let tasks: OwnedTasks
    private weak var scope: ModuleScope?

    init(_ generation: Generation) {
        number = generation.number
        version = generation.version
        digest = generation.candidate.digest
        mapped = generation.mapped
        objects = generation.objectsAtRetirement ?? BuiltObjects()
        tasks = generation.scope.tasks
        scope = generation.scope
    }

    /// The tasks that it started and that still run.
    package var tasksRunning: [String] { tasks.names }

    /// Whether work that began before it was replaced goes on.
    var isHeldByWork: Bool { scope?.isHeldByWork == true }

    /// Whether only its mapped library is left: nothing resolves or runs on its behalf, and what it built is
    /// gone.
    package var isDrained: Bool { scope == nil && tasks.count == 0 && objects.areGone }
}
