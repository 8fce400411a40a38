@_spi(Host) package import AtriumKit
package import AtriumNavigation
package import AtriumRuntime

/// What the shell shows and drives.
@MainActor
package struct ShellHost {
    package let coordinator: Coordinator
    package let screens: ScreenTable
    package let runtime: ModuleRuntime
    package let environment: Environment
    /// Keeps the session, and the place at once (`true`) or soon, for the next process.
    package let keep: @MainActor (Bool) throws -> Void

    package init(
        coordinator: Coordinator, screens: ScreenTable, runtime: ModuleRuntime, environment: Environment,
        keep: @escaping @MainActor (Bool) throws -> Void
    ) {
        self.coordinator = coordinator
        self.screens = screens
        self.runtime = runtime
        self.environment = environment
        self.keep = keep
    }

    /// Who is signed in, as the prompt tells it.
    var person: String { SessionManager.shared.user?.email ?? "guest" }

    /// Where the stack is, as the prompt tells it.
    var place: String { coordinator.current?.link ?? "home" }
}
