package import AtriumBackup
package import AtriumHosts
@_spi(Host) package import AtriumKit
package import AtriumLibraries
internal import AtriumManifest
package import AtriumModules
package import AtriumNavigation
package import AtriumNetworking
package import AtriumStorage
internal import AtriumText

/// State shared by all front ends of a host; each front end's own state is in its ``Scene``.
@MainActor
package final class ShellHost {
    package let screens: ScreenTable
    package let runtime: ModuleRuntime
    package let changes: ModuleManager
    package let environment: Environment
    package let mocks: MockDirector
    let calls: CallMonitor
    /// The recording of calls that is being made; nil if there is none.
    package internal(set) var callRecorder: CallFileRecorder?
    /// The recording from which calls are answered; nil if there is none.
    var callReplay: CallReplay?
    package let apis: HostAPIs
    let session: SessionManager
    let stacks: StackList
    package let clock: (any WallClock)?
    /// The log of modules and host; of a host without a data folder, a file that does not exist.
    package var logFile = LogFile(path: "", clock: SystemClock())
    /// Saves the session and the stacks for the next process, at once (`true`) or soon.
    package var keep: @MainActor (Bool) throws -> Void = { _ in }
    /// Writes a backup of the data folder into a file; nil if there is no folder.
    package var backUp: (@MainActor (String) async throws -> Backup.Report)?
    /// The snapshots of the data in files; nil if there are none to take.
    package var snapshots: Snapshots?
    /// The state before the last change; nil if the host is no sandbox of data in files.
    package var undo: Undo?
    /// True if the host runs on a copy of its data folder.
    package var isSandbox = false
    /// The hosts on the same database; nil if the data is in files.
    package var group: (@MainActor () async throws -> HostGroup)?
    /// Ends the host after the running command of a scene, and starts it again; nil if it can't come back.
    package var restart: ((Scene) -> Void)?
    /// Sentences about what a restart loses.
    package var lossesByRestart: [String] = []
    /// Runs before each command.
    package var willPerform: () -> Void = {}
    /// Why this host does not hear of changes by other hosts; nil if it does.
    package var feedLoss: () -> (any Error)? = { nil }
    /// The usage of the database server; nil without one, or before its first use.
    package var databaseUsage: () -> DatabaseUsage? = { nil }
    /// The file in which prompts store their history.
    package var historyFile: String?
    /// Receives the lines announced to all scenes, for a host that has no front end itself.
    package var log: ((String) -> Void)?
    /// The stored scenes without an attached client, with their current links, or why they can't be read.
    package var keptScenes: @MainActor () -> [String: Result<String, StorageError>] = { [:] }
    /// The number and durations of commands on each screen.
    let usage = ScreenUsage()
    let began = ContinuousClock.now
    /// In the order in which they began.
    package private(set) var scenes: [Scene] = []
    /// The user who was signed in before the last change of the session.
    private var lastPerson: String?
    package private(set) lazy var declared = DeclaredActions(host: self)

    package init(
        screens: ScreenTable, stacks: StackList, runtime: ModuleRuntime, changes: ModuleManager? = nil,
        environment: Environment, mocks: MockDirector, calls: CallMonitor? = nil,
        apis: HostAPIs = HostAPIs(), session: SessionManager = .shared, clock: (any WallClock)? = nil
    ) {
        self.screens = screens
        self.stacks = stacks
        self.runtime = runtime
        self.changes = changes ?? ModuleManager(runtime)
        self.environment = environment
        self.mocks = mocks
        self.calls = calls ?? CallMonitor()
        self.apis = apis
        self.session = session
        self.clock = clock
        self.changes.announce = { [weak self] in self?.announce($0) }
        runtime.timeInWords = { [journal = runtime.journal] time in
            let text = RelativeTime.text(time, from: journal.now)
            return text.contains("-") ? "on \(text)" : text
        }
        lastPerson = session.user?.email
        stacks.didRebuild = { [weak self] in
            for scene in self?.scenes ?? [] {
                scene.snippets?.modulesDidChange()
                scene.modulesDidChange()
            }
        }
    }

    /// Removes the files of Swift code that was typed, as the host ends.
    package func removeSnippets() { for scene in scenes { scene.snippets = nil } }

    /// Begins a scene over a stack.
    package func beginScene(_ name: String, state: NavigationState = NavigationState()) -> Scene {
        let coordinator = Coordinator(
            container: runtime.container, screens: screens, state: state, viewport: ViewportMonitor())
        coordinator.clock = clock
        coordinator.loadOnDemand = { [weak runtime] request in
            guard let runtime else { return false }
            return try await Self.load(request, by: runtime)
        }
        coordinator.reasonOfAbsence = { [weak runtime] link in
            runtime?.absence { LinkPattern(stringLiteral: $0).matches(link) }
        }
        coordinator.isOnDemand = { [weak runtime] in runtime?.module($0)?.isOnDemand == true }
        coordinator.unloadedPatterns = { [weak runtime] in
            runtime?.modules.filter(\.isOnDemand).flatMap { $0.manifest?.screens.map(\.pattern) ?? [] } ?? []
        }
        coordinator.mirror(in: session)
        stacks.add(coordinator)
        let scene = Scene(name, coordinator: coordinator, host: self)
        scenes.append(scene)
        return scene
    }

    /// Ends a scene: leaves its screens, and cancels work that runs on them.
    package func end(_ scene: Scene) {
        scene.end()
        scenes.removeAll { $0 === scene }
        stacks.remove(scene.coordinator)
    }

    /// Prints a line above the prompts of all scenes, or of all but one.
    package func announce(_ line: String, except present: Scene? = nil) {
        log?(line)
        for scene in scenes where scene !== present {
            scene.announce(line)
            scene.announceNews()
        }
    }

    /// Announces a sign-in or sign-out to every scene except the one that caused it, and re-evaluates their
    /// guards.
    package func sessionDidChange() {
        let person = session.user?.email
        guard person != lastPerson else { return }
        let line = person.map { "\($0) signed in." } ?? "\(lastPerson ?? "Somebody") signed out."
        lastPerson = person
        let present = scenes.first { SessionManager.isRunning(on: $0.coordinator) }
        announce(line, except: present)
        for scene in scenes where scene !== present { Task { await scene.askGuards() } }
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

    package var person: String { session.user?.email ?? "guest" }

    /// The summary of a screen in the module's manifest.
    package func summary(of screen: ScreenRegistration) -> String {
        let declared = runtime.module(screen.module)?.manifest?.screens
        return declared?.first { $0.pattern == screen.pattern.description }?.summary ?? ""
    }

    /// Why a command of a module that was removed can't be performed; nil for any other word.
    func reasonAgainst(command: String) -> ModuleError? { runtime.reasonAgainst(command: command) }

    /// Why a link that only an inactive module declares can't be opened.
    package func reasonAgainst(_ link: Link) -> ModuleError? {
        runtime.reasonAgainst(link.segments) { LinkPattern(stringLiteral: $0).matches(link) }
    }
}
