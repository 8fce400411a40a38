@_spi(Host) package import AtriumKit
internal import AtriumManifest
package import AtriumNavigation
package import AtriumNetworking
package import AtriumRuntime

/// Where lines go that are told while a command runs.
@MainActor
final class Announcements {
    var announce: (String) -> Void = { _ in }
}

extension BuildEvent {
    /// The event in a line: indented by how many factories waited for it.
    fileprivate var line: String {
        let microseconds = duration.components.attoseconds / 1_000_000_000_000
        let time = duration.components.seconds * 1_000_000 + microseconds
        return String(repeating: "  ", count: depth) + (hasFailed ? "failed " : "built ")
            + "\(name) (\(layer.name), \(module)) in \(time) µs"
    }
}

/// What the shell shows and drives.
@MainActor
package struct ShellHost {
    package let coordinator: Coordinator
    package let screens: ScreenTable
    package let runtime: ModuleRuntime
    /// Changes modules.
    package let changes: ModuleManager
    package let environment: Environment
    /// The mock services.
    package let mocks: MockDirector
    /// What asks the server; nil but in environment live with a server.
    package let api: APIManager?
    /// Keeps the session, and the place at once (`true`) or soon, for the next process.
    package let keep: @MainActor (Bool) throws -> Void
    /// Takes what the shell tells while a command runs; set by the shell.
    let announcements = Announcements()
    /// What failed last, for 'why'.
    let lastFailure = LastFailure()
    /// What is shown while a command runs, and how; set up by the shell.
    let display = Display()
    /// The screens whose changes are told.
    let watches: WatchedScreens

    package init(
        coordinator: Coordinator, screens: ScreenTable, runtime: ModuleRuntime,
        changes: ModuleManager? = nil, environment: Environment, mocks: MockDirector, api: APIManager? = nil,
        keep: @escaping @MainActor (Bool) throws -> Void
    ) {
        self.coordinator = coordinator
        self.screens = screens
        self.runtime = runtime
        self.changes = changes ?? ModuleManager(runtime)
        self.environment = environment
        self.mocks = mocks
        self.api = api
        self.keep = keep
        watches = WatchedScreens(display: display, announcements: announcements)
        coordinator.loadOnDemand = { [weak runtime] wanted in
            guard let runtime else { return false }
            return try await Self.wake(wanted, of: runtime)
        }
        coordinator.isOnDemand = { [weak runtime] in runtime?.module($0)?.isOnDemand == true }
        coordinator.unloadedPatterns = { [weak runtime] in
            runtime?.modules.filter(\.isOnDemand).flatMap { $0.manifest?.screens.map(\.pattern) ?? [] } ?? []
        }
    }

    /// Prints what the container builds from now on, or no longer.
    func trace(_ isOn: Bool) {
        guard isOn else { return runtime.container.trace(nil) }
        let announcements = announcements
        runtime.container.trace { events in
            for event in events { announcements.announce(event.line) }
        }
    }

    /// Loads the module that has a link or a place, where it is loaded when it is first wanted.
    ///
    /// - Returns: Whether one was loaded.
    func wake(_ wanted: Coordinator.OnDemandRequest) async throws -> Bool {
        try await Self.wake(wanted, of: runtime)
    }

    private static func wake(_ wanted: Coordinator.OnDemandRequest, of runtime: ModuleRuntime) async throws
        -> Bool
    {
        let module: Module?
        switch wanted {
        case .link(let link):
            module = runtime.moduleOnDemand { LinkPattern(stringLiteral: $0).matches(link) }
        case .module(let name): module = runtime.module(name).flatMap { $0.isOnDemand ? $0 : nil }
        }
        guard let module else { return false }
        try await runtime.load(module)
        return true
    }

    /// The module that would be loaded for a link; nil where none would.
    func moduleOnDemand(for link: Link) -> String? {
        runtime.moduleOnDemand { LinkPattern(stringLiteral: $0).matches(link) }?.name
    }

    /// Who is signed in, as the prompt tells it.
    var person: String { SessionManager.shared.user?.email ?? "guest" }

    /// Where the stack is, as the prompt tells it.
    var place: String { coordinator.currentEntry?.link ?? "home" }
}
