internal import AtriumCommands
@_spi(Host) public import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumSession
internal import AtriumStorage

/// A host in the test's process, with the modules of a test: runs lines as typed at the prompt.
///
/// ```swift
/// let host = try await TestHost(NotesModule.self)
/// try await host.run("notes")
/// let shown = try await host.run("add Milk --due tomorrow")
/// #expect(shown.text(width: 40) == "…")
/// #expect(host.stack == ["notes"])
/// ```
///
/// The modules go through the same steps as in a host: their manifests are compared with what they register,
/// they are activated in order, guards are evaluated, presented screens return their results, and all
/// commands of the host work, such as `health`, `mock set NoteService error` or `module Notes`. Services work
/// in the given environment: in `local` each module has its own database, see ``TestDatabase``.
@MainActor
public final class TestHost {
    /// The time of day for the modules.
    public let clock: FixedClock
    /// The session of the modules and the host; its writer signs users in and out.
    public let session: TestSession
    /// The registrations and values of the modules: services, repositories and the like.
    public private(set) var container: TestContainer

    private let environment: Environment
    private let configuration: [String: JSONObject]
    private let api: (any APIClient)?
    /// The databases that a test made, by module.
    private let stores: [String: TestStore]
    private let doubles: TestDoubles
    let folder: String
    var libraries: [ModuleLibrary]
    private var running: Running

    var scene: Scene { running.scene }

    /// The parts of one process of a host.
    private struct Running {
        let site: TestSite
        let runtime: ModuleRuntime
        let scene: Scene
        let prompt: Prompt
    }

    /// Starts a host with modules.
    ///
    /// A class without a `module.json` beside it, such as one of the test itself, counts as a module of
    /// version 1.0.0 that requires nothing; a ``StandInModule`` has another version.
    ///
    /// `configuration` has the values that `modules.json` would configure, by module; `databases` exist
    /// already, with data of an earlier version. Without an API, each request of environment live is an
    /// error.
    ///
    /// - Throws: The reason that a module does not start, as the host reports it.
    public convenience init(
        _ modules: any FeatureModule.Type..., environment: Environment = .mock,
        configuration: [String: JSONObject] = [:], databases: [TestDatabase] = [],
        api: (any APIClient)? = nil, session: TestSession = TestSession(), clock: FixedClock = FixedClock()
    ) async throws {
        try await self.init(
            modules: modules, environment: environment, configuration: configuration, databases: databases,
            api: api, session: session, clock: clock)
    }

    init(
        modules: [any FeatureModule.Type], environment: Environment = .mock,
        configuration: [String: JSONObject] = [:], databases: [TestDatabase] = [],
        api: (any APIClient)? = nil, session: TestSession = TestSession(), clock: FixedClock = FixedClock()
    ) async throws {
        (self.environment, self.configuration, self.api) = (environment, configuration, api)
        (self.session, self.clock) = (session, clock)
        stores = Dictionary(databases.map { ($0.owner, $0.store) }) { _, last in last }
        doubles = TestDoubles(clock: clock, session: session)
        folder = try Folder.makeTemporary("atrium-test")
        do {
            libraries = try modules.map { try ModuleLibrary($0) }
            for index in libraries.indices { try libraries[index].write(to: folder) }
        } catch {
            FileSystem.remove(folder)
            throw error
        }
        running = Self.running(
            environment, folder, doubles, api, stores, libraries, configuration, NavigationState())
        container = TestContainer(running.site, doubles)
        try await start()
    }

    isolated deinit {
        running.site.container.close()
        running.site.drop()
        FileSystem.remove(folder)
    }

    private static func running(
        _ environment: Environment, _ folder: String, _ doubles: TestDoubles, _ api: (any APIClient)?,
        _ stores: [String: TestStore], _ libraries: [ModuleLibrary],
        _ configuration: [String: JSONObject], _ state: NavigationState
    ) -> Running {
        let site = TestSite(environment, folder: folder, doubles: doubles, api: api, stores: stores)
        let runtime = ModuleRuntime(
            modules: libraries.map { library in
                let values = configuration[library.name] ?? JSONObject()
                return HostConfiguration.Module(
                    name: library.name,
                    configuration: (try? ManifestValue.members(json: JSONValue.object(values).serialized))
                        ?? [])
            }, searchPaths: [folder], storeFolder: "\(folder)/store", site: site)
        runtime.takeModules(Dictionary(libraries.map { ($0.name, $0.module) }) { $1 })
        let shell = ShellHost(
            screens: site.screens, stacks: site.stacks, runtime: runtime, environment: environment,
            mocks: site.mocks, calls: site.calls, session: doubles.session.manager, clock: doubles.clock)
        let scene = shell.beginScene("test", state: state)
        return Running(
            site: site, runtime: runtime, scene: scene, prompt: Prompt(scene))
    }

    private func start() async throws {
        await running.runtime.start()
        if let problem = running.runtime.problems.first { throw ServiceError.told(problem) }
    }

    // MARK: - The prompt

    /// Runs a line as typed at the prompt: commands of the host, actions of the current screen, `LINK
    /// [ACTION]`; several separated by semicolons, up to the first that fails.
    ///
    /// - Returns: The output of the last command.
    /// - Throws: The error that the shell would print, made from the one that was thrown.
    @discardableResult
    public func run(_ line: String) async throws(ServiceError) -> Output {
        do {
            return Output(try await running.prompt.run(line))
        } catch { throw .told(error) }
    }

    /// Returns the completions at the end of an unfinished line.
    public func completions(of line: String) -> [String] { running.prompt.completions(of: line) }

    /// The lines printed besides results: announcements, warnings, objects that outlived their screens.
    public var notes: [String] { running.prompt.notes }

    /// The links of the stack's entries, the current one last.
    public var stack: [String] { running.scene.coordinator.state.entries.map(\.link) }

    /// The names in scope of the command `swift`, for tests that `swift --save` has written.
    public var snippet: Snippet { running.scene.snippet }

    /// The output of a command.
    public struct Output: Sendable {
        private let output: Prompt.Output

        init(_ output: Prompt.Output) { self.output = output }

        /// The line above the content: "Added.".
        public var message: String? { output.message }

        /// The screen or the table, as the view's `body`; nil for a message alone.
        public var content: Content? { output.content }

        /// The `result` in a line of `--json`.
        public var json: JSONObject { output.json }

        /// Returns the output of a terminal with `width` columns, without colours.
        public func text(width: Int = 80) -> String { output.text(width: width) }
    }

    // MARK: - Lifecycle

    /// Returns the module's instance.
    ///
    /// - Throws: If it is not active.
    public func module<Module: FeatureModule>(_ type: Module.Type = Module.self) throws -> Module {
        for module in running.runtime.modules {
            if let instance = module.current?.instance as? Module { return instance }
        }
        throw ServiceError(
            "notActive", "The host has no active module '\(type)'.", hint: "Pass it to TestHost(…).")
    }

    /// Restarts the host: the stack, the saved state of view models and the state of modules are restored
    /// from JSON, everything else is new.
    public func restart() async throws {
        let kept = try StateCoding.encode(running.scene.coordinator.archive())
        let problems = running.runtime.keepStates()
        let states = running.runtime.states
        try await stop()
        if let problem = problems.first { throw ServiceError.told(problem) }
        running = Self.running(
            environment, folder, doubles, api, stores, libraries, configuration,
            try StateCoding.decode(NavigationState.self, from: kept))
        running.runtime.states = states
        container = TestContainer(running.site, doubles)
        try await start()
    }

    /// Updates the modules to other builds of themselves, as `module update` does.
    public func update() async throws {
        for index in libraries.indices { try libraries[index].write(to: folder) }
        try await run("module update")
    }

    /// Stops the modules, and closes their databases.
    ///
    /// - Throws: An error for the first task that did not end in time.
    public func stop() async throws {
        let overdue = await running.runtime.stop()
        running.site.container.close()
        await running.site.close()
        if let first = overdue.first { throw ServiceError.told(first) }
    }
}

extension ServiceError {
    /// Converts an error of the host to the one that tests receive.
    fileprivate static func told(_ error: any Error) -> ServiceError {
        guard let error = error as? any ExplainedError else {
            return ServiceError(.unexpected, LoadFailure(error).message, cause: error)
        }
        return error as? ServiceError
            ?? ServiceError(
                error.code, error.message, hint: error.hint, category: error.category, cause: error)
    }
}

/// A module of a test that replaces one that another module requires, by the name of its class.
public protocol StandInModule: FeatureModule {
    /// The version that it counts as: `1.2.0`.
    static var version: String { get }
}
