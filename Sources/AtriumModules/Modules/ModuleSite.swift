@_spi(Host) package import AtriumKit

/// The host's services for modules, and the place for their screens.
@MainActor
package protocol ModuleSite: AnyObject {
    var container: Container { get }

    func infrastructure(
        for module: String, migrations: [Migration], configuration: Configuration
    ) -> ModuleScope.Infrastructure

    /// The dialect of the modules' databases; nil in a preflight, where the host checks it.
    var dialect: Dialect? { get }

    /// The address of the server of an API, by the name in `modules.json`; nil if it has none.
    func server(ofAPI name: String) -> String?

    /// Checks that screens can replace those of some modules; changes nothing.
    ///
    /// - Throws: An error if a link would lead to two screens.
    func check(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) throws

    /// Replaces the screens of some modules, after a check.
    func exchange(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>)

    /// The links of the stack entries whose screens a change of the container would rebuild.
    func screens(affectedBy change: ContainerChange) -> [String]

    /// The objects of every stack entry, and of former entries that are partly alive.
    var entryObjects: [EntryObjects] { get }

    /// Rebuilds the screens that hold replaced objects.
    func didExchange(_ change: ContainerChange)
}

extension ModuleSite {
    package var dialect: Dialect? { .sqlite }
    package func server(ofAPI name: String) -> String? { nil }
    package func screens(affectedBy change: ContainerChange) -> [String] { [] }
    package var entryObjects: [EntryObjects] { [] }
    package func didExchange(_ change: ContainerChange) {}
}
