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

    /// Checks that screens can take the place of those of some modules; changes nothing.
    ///
    /// - Throws: What would make a link lead to two screens.
    func check(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) throws

    /// Puts screens in the place of those of some modules, which was checked.
    func exchange(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>)

    /// The places on the stack whose screens a change of the container would build anew, as links.
    func places(affectedBy change: ContainerChange) -> [String]

    /// The objects of every stack entry, and of entries that were left and of which something is alive.
    var entryObjects: [EntryObjects] { get }

    /// Builds the screens anew that hold something of what was exchanged.
    func didExchange(_ change: ContainerChange)
}

extension ModuleSite {
    package func places(affectedBy change: ContainerChange) -> [String] { [] }
    package var entryObjects: [EntryObjects] { [] }
    package func didExchange(_ change: ContainerChange) {}
}
