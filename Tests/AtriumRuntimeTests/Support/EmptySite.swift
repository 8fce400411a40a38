@_spi(Host) import AtriumKit

@testable import AtriumRuntime

/// The host's side for a runtime that loads nothing.
final class EmptySite: ModuleSite {
    let container = Container(environment: .mock)

    func infrastructure(
        for module: String, migrations: [Migration], configuration: Configuration
    ) -> ModuleScope.Infrastructure {
        preconditionFailure("No module is loaded here.")
    }

    func check(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) throws {}
    func exchange(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) {}
}
