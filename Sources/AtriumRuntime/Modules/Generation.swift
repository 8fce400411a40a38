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
    /// An address in its library; nil where it is not asked for.
    let address: UnsafeRawPointer?

    init(
        number: Int, candidate: Candidate, scope: ModuleScope, instance: any FeatureModule,
        registry: ModuleRegistry, address: UnsafeRawPointer? = nil
    ) {
        self.number = number
        self.candidate = candidate
        self.scope = scope
        self.instance = instance
        self.registry = registry
        self.address = address
    }

    /// Where its library is mapped, looked up each time; nil where that can't be told.
    package var image: MappedImage? { address.flatMap(MappedImage.init(containing:)) }

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
    let address: UnsafeRawPointer?
    private let tasks: OwnedTasks
    private weak var scope: ModuleScope?

    init(_ generation: Generation) {
        number = generation.number
        version = generation.version
        digest = generation.candidate.digest
        address = generation.address
        tasks = generation.scope.tasks
        scope = generation.scope
    }

    /// Where its library is mapped, looked up each time.
    package var image: MappedImage? { address.flatMap(MappedImage.init(containing:)) }

    /// The tasks that it started and that still run.
    package var tasksRunning: [String] { tasks.names }

    /// Whether nothing asks or works on its behalf any more, as far as the host can see without a census.
    package var isDrained: Bool { scope == nil && tasks.count == 0 }
}
