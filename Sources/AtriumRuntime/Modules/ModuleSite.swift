@_spi(Host) package import AtriumKit

/// What the host gives to the modules that the runtime loads, and where their contributions go.
@MainActor
package protocol ModuleSite: AnyObject {
    /// The container of all modules.
    var container: Container { get }

    /// What one module's services and repositories reach of the outside world.
    func infrastructure(
        for module: String, migrations: [Migration], configuration: Configuration
    ) -> ModuleScope.Infrastructure

    /// Makes the screens of a module reachable, all of them or none.
    func add(_ screens: [ScreenRegistration]) throws

    /// Takes the screens of a module away.
    func removeScreens(of module: String)
}
