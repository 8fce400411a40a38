@_spi(Host) public import AtriumKit
public import AtriumNavigation
public import AtriumRuntime

/// What the shell shows and drives.
@MainActor
public struct ShellHost {
    public let coordinator: Coordinator
    public let screens: ScreenTable
    public let runtime: ModuleRuntime
    public let environment: Environment
    /// Keeps the place and the session for the next process.
    public let keep: @MainActor () throws -> Void

    public init(
        coordinator: Coordinator, screens: ScreenTable, runtime: ModuleRuntime, environment: Environment,
        keep: @escaping @MainActor () throws -> Void
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
