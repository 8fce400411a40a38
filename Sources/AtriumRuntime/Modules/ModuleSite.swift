@_spi(Host) package import AtriumKit

/// What the host gives to the modules, and where their screens go.
@MainActor
package protocol ModuleSite: AnyObject {
    var container: Container { get }

    func infrastructure(
        for module: String, migrations: [Migration], configuration: Configuration
    ) -> ModuleScope.Infrastructure

    /// The dialect of the databases that modules get; nil in a trial, where the host checks it.
    var dialect: Dialect? { get }

    /// Checks that screens can replace those of some modules; changes nothing.
    ///
    /// - Throws: What would make a link lead to two screens.
    func check(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) throws

    /// Replaces the screens of some modules, after a check.
    func exchange(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>)

    /// The links of the stack entries whose screens a change of the container would rebuild.
    func screens(affectedBy change: ContainerChange) -> [String]

    /// The objects of every stack entry, and of entries that were left and of which something is alive.
    var entryObjects: [EntryObjects] { get }

    /// Rebuilds the screens that hold something of what was exchanged.
    func didExchange(_ change: ContainerChange)
}

extension ModuleSite {
    package var dialect: Dialect? { .sqlite }
    package func screens(affectedBy change: ContainerChange) -> [String] { [] }
    package var entryObjects: [EntryObjects] { [] }
    package func didExchange(_ change: ContainerChange) {}
}
