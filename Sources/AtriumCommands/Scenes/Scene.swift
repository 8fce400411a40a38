@_spi(Host) package import AtriumKit
package import AtriumLanguage
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules
package import AtriumNavigation
internal import AtriumNetworking
package import AtriumRedirection
package import AtriumText
internal import AtriumViews
internal import Glibc

/// A process that is attached to a scene.
package struct SceneClient {
    package var name: String
    package let process: Int32
    package let isPerson: Bool

    package init(name: String, process: Int32, isPerson: Bool) {
        (self.name, self.process, self.isPerson) = (name, process, isPerson)
    }
}

/// A front end of the host: its stack and its output.
@MainActor
package final class Scene {
    package let name: String
    /// The name of the host's own front end.
    package static let main = "main"
    package let coordinator: Coordinator
    package let host: ShellHost
    let since: Timestamp?
    /// Prints a line above the prompt, or among the output of a script.
    package var announce: (String) -> Void = { _ in }
    /// Shows output that no command of this scene asked for: a rebuilt screen.
    package var showOutput: (Reply.Output) -> Void = { _ in }
    package var modulesDidChange: () -> Void = {}
    /// The last command that failed, for `why`.
    var lastFailure: (command: String, error: any ExplainedError)?
    /// The attached process; nil for the host's own front end.
    package var client: SceneClient?
    /// The working folder of the front end's process; nil for the host's.
    package var folder: String?
    /// An environment variable of the front end's process.
    package var environment: (String) async throws -> String? = { name in
        getenv(name).map { String(cString: $0) }
    }
    /// The aliases for the beginning of a command.
    package var aliases: [String: Alias] = [:]
    /// The exit code given to `exit`.
    package var exitStatus: ExitStatus?
    /// The names of its variables, without that of the last result.
    var variables: () -> [String] = { [] }
    /// True if the last `exit` does not end the session: its front end waits for the host to restart, or the
    /// restart was refused.
    var staysOnExit = false
    /// Runs the lines of a file; fails with the first line that does.
    package var runScript: (_ file: String, [InputLine]) async throws -> Void = { _, _ in }
    /// Reads from the front end's standard input; nil if actions can't have it.
    package var readInput: (@MainActor () async throws -> [UInt8]?)?
    /// Waits until printed output has been consumed.
    package var outputDrained: @MainActor () async -> Void = {}
    /// The last table that each link has shown, for completion.
    private var seenTables: [String: Content.TableData] = [:]
    /// Prints a reply before the running command's own, to the same destination.
    package var print: (Reply) throws -> Void = { _ in }
    /// True if the running command's results go elsewhere than to the screen.
    package var isRedirected: () -> Bool = { false }
    /// Opens the destination of a result.
    package var open: (OutputRedirection) async throws -> any ResultTarget = {
        try await LocalTarget.open($0)
    }
    package let display = Display()
    /// Prints new lines of the log; nil while it is not followed.
    var logFollower: LogFollower?
    /// Runs Swift code; nil before the first.
    var snippets: SnippetRunner?
    package private(set) lazy var watches = WatchedScreens(display: display) { [weak self] in
        self?.announce($0)
    }
    /// The taps of services, whose calls are printed.
    private(set) lazy var taps = ServiceTaps(host.calls, scene: name, display: display) { [weak self] in
        self?.announce($0)
    }

    init(_ name: String, coordinator: Coordinator, host: ShellHost) {
        self.name = name
        self.coordinator = coordinator
        self.host = host
        since = host.clock?.now()
        display.now = { [clock = host.clock] in clock?.now() }
    }

    /// True if the running command can show a picture on a terminal.
    var drawsPictures: Bool {
        display.form == .picture && !isRedirected() && !RunningJobs.runsInBackground
    }

    package var viewport: ViewportMonitor { coordinator.viewport }

    package var currentLink: String { coordinator.currentEntry?.link ?? "home" }

    /// A path as typed: relative to the front end's folder, and with `~` for the home folder.
    package func path(_ typed: String) throws(ArgumentError) -> String {
        guard !typed.isEmpty else {
            throw ArgumentError(
                .invalidArgument, "The path is empty.", hint: "Use '.' for the current folder.")
        }
        var text = typed
        if typed == "~" || typed.hasPrefix("~/"), let home = getenv("HOME").map({ String(cString: $0) }) {
            text = home + typed.dropFirst()
        }
        guard let folder, !text.hasPrefix("/") else { return text }
        return "\(folder)/\(text)"
    }

    // MARK: - Seen values

    func note(_ content: Content, shownBy link: String) {
        guard let table = content.firstTable else { return }
        if seenTables.count > Self.mostTables { seenTables = [:] }
        seenTables[String(link.prefix { $0 != "?" })] = table
    }

    /// The values of a column as the screen of a link last showed it: `id` also for an argument `ids`.
    func seen(_ name: String, on link: String?) -> [String] {
        let path = (link ?? currentLink).prefix { $0 != "?" }
        guard let table = seenTables[String(path)],
            let index = table.headings.firstIndex(where: { $0.key == name || $0.key + "s" == name })
        else { return [] }
        return table.rows.map { $0[index].text }.filter { !$0.isEmpty && $0.count <= 60 }.uniqued
    }

    private static let mostTables = 64

    func source(_ file: String) async throws {
        let bytes = try await UserFile.read(file)
        try await runScript(file, InputLine.lines(of: bytes))
    }

    func end() {
        for job in display.jobs.inBackground { job.cancel() }
        watches.stopAll()
        taps.endAll()
        logFollower = nil
        snippets = nil
        coordinator.end()
    }

    func trace(_ isOn: Bool) {
        guard isOn else { return host.runtime.container.trace(nil) }
        host.runtime.container.trace { [weak self] events in
            for event in events { self?.announce(event.line) }
        }
    }

    func trace(_ detail: APITracer.Detail) {
        guard detail != .off else { return host.apis.tracer.stop() }
        host.apis.tracer.start(detail) { [weak self] in self?.announce($0) }
    }

    /// Checks whether the current screen may still be shown; if not, reports what it was left for.
    func askGuards() async {
        coordinator.invalidateGuardResults()
        do {
            let arrival = try await coordinator.evaluateCurrentGuards()
            if let message = arrival.flatMap({ RedirectViews.message($0) }) { announce(message) }
        } catch is CancellationError {
        } catch {
            announce(ShellError.explain(error).message)
        }
    }

    /// Completes a command: announces news, and renews watched screens; returns its warnings.
    package func didRun() async -> [any ExplainedError] {
        announceNews()
        taps.settle { [container = host.runtime.container] in Set(container.services.map(\.key)) }
        for note in host.runtime.takeEvents(.note) { announce(note.message) }
        await watches.settle(version: host.runtime.container.version)
        let leaks = coordinator.takeNewLeaks().map {
            ShellError("screenLeaked", "\($0.name) outlived its screen '\($0.link)'.")
        }
        return host.runtime.takeEvents(.warning) + leaks
    }

    /// Announces news from outside commands: questions withdrawn unanswered, links that can be opened now.
    package func announceNews() {
        for question in coordinator.takeLeftQuestions() {
            announce("The question '\(question)' was left without an answer; nothing was done.")
        }
        for link in coordinator.takeAvailableLinks() {
            announce("'\(Link.shown(link))' is available now: open \(Quoting.quote(Link.shown(link)))")
        }
    }

    /// The actions of the current screen: of the shown screen, else the declared ones.
    var declaredActions: [Declaration] {
        if let screen = coordinator.shownScreen { return screen.view.listedActions.map(Declaration.init) }
        return coordinator.currentRegistration.flatMap(host.declared.actions(of:)) ?? []
    }
}

extension BuildEvent {
    /// The event on a line, indented by the number of factories waiting for it.
    fileprivate var line: String {
        return String(repeating: "  ", count: depth) + (hasFailed ? "failed " : "built ")
            + "\(name) (\(GraphDrawing.name(of: layer)), \(module)) in \(duration.wholeMicroseconds) µs"
    }
}

/// A screen that can be opened: its module is active, or loaded on demand.
package struct KnownLink {
    package let pattern: LinkPattern
    package let module: String
    package let summary: String
    let isLoaded: Bool
    /// The guards of the screen; unknown if its module is not loaded.
    var guards: [String] = []

    var suggestion: String { pattern.beginning }
}

extension Scene {
    /// Every screen that can be opened, by pattern.
    package var knownLinks: [KnownLink] {
        let loaded = host.screens.all.map { screen in
            KnownLink(
                pattern: screen.pattern, module: screen.module, summary: host.summary(of: screen),
                isLoaded: true, guards: coordinator.guardNames(of: screen))
        }
        let waiting = host.runtime.modules.filter(\.isOnDemand).flatMap { module in
            (module.manifest?.screens ?? []).map { screen in
                KnownLink(
                    pattern: LinkPattern(stringLiteral: screen.pattern), module: module.name,
                    summary: screen.summary, isLoaded: false)
            }
        }
        guard !waiting.isEmpty else { return loaded }
        return (loaded + waiting).sorted { $0.pattern.description < $1.pattern.description }
    }
}
