@_spi(Host) package import AtriumKit
internal import AtriumManifest
package import AtriumNavigation
package import AtriumNetworking
package import AtriumRuntime

extension BuildEvent {
    /// The event in a line, indented by how many factories waited for it.
    fileprivate var line: String {
        let microseconds = duration.components.attoseconds / 1_000_000_000_000
        let time = duration.components.seconds * 1_000_000 + microseconds
        return String(repeating: "  ", count: depth) + (hasFailed ? "failed " : "built ")
            + "\(name) (\(layer.name), \(module)) in \(time) µs"
    }
}

/// What the shell shows and drives.
@MainActor
package final class ShellHost {
    package let coordinator: Coordinator
    package let screens: ScreenTable
    package let runtime: ModuleRuntime
    package let changes: ModuleManager
    package let environment: Environment
    package let mocks: MockDirector
    package let apis: HostAPIs
    let session: SessionManager
    /// Saves the session, and the stack at once (`true`) or soon, for the next process.
    package let keep: @MainActor (Bool) throws -> Void
    /// Writes a backup of the data folder into a file; nil if there is no folder.
    package var backUp: (@MainActor (String) async throws -> Backup.Report)?
    /// Takes the lines that are printed while a command runs.
    var announce: (String) -> Void = { _ in }
    /// Takes what is shown beside commands: a screen that was rebuilt.
    var showOutput: (Reply.Output) -> Void = { _ in }
    /// The last command that failed, for `why`.
    var lastFailure: (command: String, error: any ExplainedError)?
    let display = Display()
    private(set) lazy var watches = WatchedScreens(display: display) { [weak self] in self?.announce($0) }

    package init(
        coordinator: Coordinator, screens: ScreenTable, runtime: ModuleRuntime,
        changes: ModuleManager? = nil, environment: Environment, mocks: MockDirector,
        apis: HostAPIs = HostAPIs(), session: SessionManager = .shared,
        keep: @escaping @MainActor (Bool) throws -> Void
    ) {
        self.coordinator = coordinator
        self.screens = screens
        self.runtime = runtime
        self.changes = changes ?? ModuleManager(runtime)
        self.environment = environment
        self.mocks = mocks
        self.apis = apis
        self.session = session
        self.keep = keep
        coordinator.loadOnDemand = { [weak runtime] request in
            guard let runtime else { return false }
            return try await Self.load(request, by: runtime)
        }
        coordinator.isOnDemand = { [weak runtime] in runtime?.module($0)?.isOnDemand == true }
        coordinator.unloadedPatterns = { [weak runtime] in
            runtime?.modules.filter(\.isOnDemand).flatMap { $0.manifest?.screens.map(\.pattern) ?? [] } ?? []
        }
    }

    func trace(_ isOn: Bool) {
        guard isOn else { return runtime.container.trace(nil) }
        runtime.container.trace { [weak self] events in
            for event in events { self?.announce(event.line) }
        }
    }

    func trace(_ detail: APITracer.Detail) {
        guard detail != .off else { return apis.tracer.stop() }
        apis.tracer.start(detail) { [weak self] in self?.announce($0) }
    }

    /// Loads the module of a link or a screen, and returns whether one was loaded on demand.
    private static func load(
        _ request: Coordinator.OnDemandRequest, by runtime: ModuleRuntime
    ) async throws -> Bool {
        let module =
            switch request {
            case .link(let link): runtime.moduleOnDemand { LinkPattern(stringLiteral: $0).matches(link) }
            case .module(let name): runtime.module(name).flatMap { $0.isOnDemand ? $0 : nil }
            }
        guard let module else { return false }
        try await runtime.load(module)
        return true
    }

    /// The module that a link loads on demand; nil if it loads none.
    func moduleOnDemand(for link: Link) -> String? {
        runtime.moduleOnDemand { LinkPattern(stringLiteral: $0).matches(link) }?.name
    }

    /// Tells what happened beside commands: questions that left without an answer, links that can be opened now.
    func announceNews() {
        for question in coordinator.takeLeftQuestions() {
            announce("The question '\(question)' was left without an answer; nothing was done.")
        }
        announceAvailableLinks()
    }

    /// Announces the links that waited for a module and can be opened now.
    private func announceAvailableLinks() {
        for link in coordinator.takeAvailableLinks() {
            announce("'\(Link.shown(link))' is available now: open \(Quoting.quote(Link.shown(link)))")
        }
    }

    var person: String { session.user?.email ?? "guest" }

    var currentLink: String { coordinator.currentEntry?.link ?? "home" }
}

/// A screen that can be opened: of a module that is active, or loaded on demand.
struct KnownLink {
    let pattern: LinkPattern
    let module: String
    let summary: String
    let isLoaded: Bool
    /// The guards that decide about it; unknown of a module that is not loaded.
    var guards: [String] = []

    var suggestion: String { pattern.beginning }
}

extension ShellHost {
    /// Every screen that can be opened, by pattern.
    var knownLinks: [KnownLink] {
        let loaded = screens.all.map { screen in
            KnownLink(
                pattern: screen.pattern, module: screen.module, summary: summary(of: screen), isLoaded: true,
                guards: coordinator.guardNames(of: screen))
        }
        let waiting = runtime.modules.filter(\.isOnDemand).flatMap { module in
            (module.manifest?.screens ?? []).map { screen in
                KnownLink(
                    pattern: LinkPattern(stringLiteral: screen.pattern), module: module.name,
                    summary: screen.summary, isLoaded: false)
            }
        }
        guard !waiting.isEmpty else { return loaded }
        return (loaded + waiting).sorted { $0.pattern.description < $1.pattern.description }
    }

    /// The line that a module's manifest gives to a screen.
    func summary(of screen: ScreenRegistration) -> String {
        let declared = runtime.module(screen.module)?.manifest?.screens
        return declared?.first { $0.pattern == screen.pattern.description }?.summary ?? ""
    }

    /// Why a link can't be opened that only an inactive module declares.
    func reasonAgainst(_ link: Link) -> ModuleError? {
        runtime.reasonAgainst(link.segments) { LinkPattern(stringLiteral: $0).matches(link) }
    }
}
