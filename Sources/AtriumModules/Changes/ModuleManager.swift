package import AtriumCrash
@_spi(Host) package import AtriumKit
internal import AtriumLibraries
package import AtriumRepositories
package import AtriumStorage

/// A user's request to change the set of modules, by names and paths.
package enum ModuleCommand: Sendable {
    /// Adds libraries, folders of them, and packages, which are built first. Modules of a folder or package
    /// that the host already has are updated if their library has changed.
    case add([String])
    /// Replaces modules by the libraries at their paths; without names, all whose library has changed. A name
    /// with a `/` is the path of a package to build, a folder or a library. Their state is handed over unless
    /// `withoutState`.
    case update([String], withoutState: Bool = false)
    case remove([String])
    /// Returns to the build before the last update, or to one by its version, digest or time. `restoresData`
    /// also restores the data from before the migration if that build can't read the present data.
    case rollback(String, to: String? = nil, withoutState: Bool = false, restoresData: Bool = false)
    /// Sets values of a module's configuration, as `KEY=VALUE`; resets others to modules.json or defaults.
    case configure(String, [String], resets: [String] = [])
    /// Starts a module that is loaded on demand, stopped or quarantined; of another one, tries the refused
    /// build again, and adds it or updates to it.
    case start(String)
}

/// Changes modules by command: finds named modules, changes them, saves the result for the next start, and
/// watches for new builds.
@MainActor
package final class ModuleManager {
    package let runtime: ModuleRuntime
    private let installedFile: StateFile?
    private let crashFile: StateFile?
    private let stateFile: StateFile?
    private let configurationFile: StateFile?
    private let intents: ChangeIntents?
    var installed = InstalledModules()
    /// The problems found when the saved state was read; nil until then.
    private var loadProblems: [any ExplainedError]?
    package let repositories: Repositories
    private(set) var crashes = CrashHistory()
    /// The modules being retried: quarantined ones, and those whose build was refused.
    private var retried: Set<String> = []
    var watcher: FileWatcher?
    /// The libraries that have changed but are not updated yet.
    var changed: Set<String> = []
    var isUpdating = false
    /// True if the previous process was watching when it crashed.
    private var resumesWatching = false
    /// Sentences about the states that were too large at the last save, and those already reported.
    private var refusedStates: [String] = []
    private var toldRefusals: Set<String> = []
    /// Announces background events.
    package var announce: @MainActor (String) -> Void = { _ in }
    /// The module through which this host reaches its database; nil without one.
    package var databaseEngine: String?

    package init(
        _ runtime: ModuleRuntime, installed: StateFile? = nil, crashes: StateFile? = nil,
        states: StateFile? = nil, configuration: StateFile? = nil, intents: ChangeIntents? = nil,
        repositories: Repositories = Repositories()
    ) {
        self.runtime = runtime
        stateFile = states
        configurationFile = configuration
        self.intents = intents
        self.repositories = repositories
        installedFile = installed
        crashFile = crashes
    }

    // MARK: - Before the start

    /// Reads the saved state.
    ///
    /// - Throws: `StorageError` if a file can't be read; nothing has changed.
    package func load() throws {
        var problems: [any ExplainedError] = []
        installed = try installedFile?.load { problems.append($0) } ?? InstalledModules()
        installed.added = installed.added.map { $0.with(path: repositories.absolute($0.path)) }
        crashes = try crashFile?.load { problems.append($0) } ?? CrashHistory()
        runtime.states = try stateFile?.load { problems.append($0) } ?? ModuleStates()
        runtime.configurationChanges =
            try configurationFile?.load { problems.append($0) } ?? ConfigurationChanges()
        if let intent = try intents?.interrupted(report: { problems.append($0) }) { complete(intent) }
        loadProblems = problems
    }

    /// Applies the changes and quarantines of earlier processes, before the modules start.
    ///
    /// - Parameters:
    ///   - crash: The crash of the previous process, if it crashed.
    ///   - failedStarts: The number of consecutive failed starts.
    ///   - didSave: Called once the crash is in the history.
    /// - Returns: The problems to report: parts of the saved state that were set aside, and the reason a crash
    ///   was not saved.
    /// - Throws: As ``load()``, unless that was called before.
    package func restore(
        after crash: CrashRecord?, failedStarts: Int = 0, didSave: () -> Void = {}
    ) throws -> [any ExplainedError] {
        if loadProblems == nil { try load() }
        var problems = loadProblems ?? []
        do {
            if let crash { try record(crash, failedStarts) }
            didSave()
        } catch {
            // The crash record stays for the next start.
            problems.append(
                error as? any ExplainedError ?? ModuleError(.storeUnwritable, LoadFailure(error).message))
        }
        resumesWatching = crash != nil && installed.isWatching
        installed.isWatching = false
        runtime.apply(installed)
        for module in runtime.modules { module.quarantine = crashes.quarantined[module.name] }
        return problems
    }

    /// Completes a change whose process was killed after changing data.
    private func complete(_ intent: ChangeIntent) {
        installed = intent.installed
        installed.added = installed.added.map { $0.with(path: repositories.absolute($0.path)) }
        runtime.configurationChanges = intent.configuration
        let names = Set(intent.databases.map(\.module)).sorted().joined(separator: ", ")
        let sentence =
            "A change of modules was interrupted while it changed the data of \(names); it is now completed."
        runtime.events.append(ModuleEvent(level: .note, code: "completed", message: sentence))
        runtime.journal.record("completed", sentence)
        // On failure the intent stays, and the next start completes the change.
        try? save()
    }

    /// Resumes watching if the previous process was watching when it crashed; call it after the start.
    package func resumeWatching() {
        if resumesWatching { try? watch(true) }
    }

    /// Adds a crash to the journal and the history, which may quarantine a module.
    ///
    /// Does nothing if the history already has the crash because its record could not be removed.
    private func record(_ crash: CrashRecord, _ failedStarts: Int) throws {
        guard !crashes.has(crash) else { return }
        let module = crash.culprit
        runtime.journal.append([
            runtime.journal.event(
                "crashed", module: module?.name, crash.sentence, generation: module?.generation,
                digest: module?.digest)
        ])
        if let name = crashes.append(crash, failedStarts: failedStarts) {
            runtime.journal.record("quarantined", module: name, crashes.quarantined[name]?.reason)
        }
        try crashFile?.save(crashes)
    }

    /// Returns the notices about a failed start; print them before module code runs and may crash again.
    package func notices(
        of failure: StartJournal.Failure?, _ crash: CrashRecord?
    ) -> [any ExplainedError] {
        guard let failure else { return [] }
        var notices: [any ExplainedError] = []
        if let crash, !Watchdog.hasStartedAnew {
            notices.append(CrashNotice(crash, hint: hint(after: crash)))
        }
        let isQuarantined = crash.flatMap(quarantined) != nil
        if !isQuarantined, let failed = CrashNotice(failure) { notices.append(failed) }
        return notices
    }

    /// The likeliest quarantined module among the suspects of a crash.
    private func quarantined(after crash: CrashRecord) -> String? {
        let names = [crash.culprit?.name].compactMap(\.self) + crash.suspects.map(\.module)
        return names.first { crashes.quarantined[$0] != nil }
    }

    /// The suggested command after a crash.
    package func hint(after crash: CrashRecord) -> String? {
        if let name = quarantined(after: crash) { return "module start \(name)" }
        guard crash.isInStart, let name = crash.culprit?.name else { return "events" }
        return "If the host does not start: atrium --without \(name)"
    }

    private func release(_ name: String) {
        crashes.release(name)
        runtime.module(name)?.quarantine = nil
        try? crashFile?.save(crashes)
        runtime.journal.record("released", module: name)
    }

    // MARK: - Commands

    /// Plans a command; nothing is loaded or tried.
    ///
    /// - Throws: The error of the command or a library.
    package func plan(_ command: ModuleCommand) async throws -> ChangePlan {
        try await runtime.plan(examined(request(command)))
    }

    /// Carries out a command completely or not at all, and saves the result for the next start.
    ///
    /// - Returns: A report; its plan has no steps if nothing had to change.
    /// - Throws: ``ModuleError``, or ``UnconfirmedChange`` unless `isConfirmed`; nothing has changed then.
    package func run(_ command: ModuleCommand, isConfirmed: Bool = true) async throws -> ChangeReport {
        guard case .start(let name) = command else {
            return try await change(examined(request(command), isConfirmed: isConfirmed))
        }
        guard !retried.contains(name) else { throw ModuleError.isStarting(name) }
        guard let module = runtime.module(name), let quarantine = module.quarantine else {
            return try await start(name)
        }
        let state = module.state
        module.quarantine = nil
        if module.isQuarantined { module.state = .starting }
        do {
            let report = try await start(name, isQuarantined: true)
            if crashes.quarantined[name] != nil { release(name) }
            return report
        } catch {
            // Another change may have released it meanwhile.
            if module.current == nil, crashes.quarantined[name] != nil {
                (module.quarantine, module.state) = (quarantine, state)
            }
            throw error
        }
    }

    private func start(_ name: String, isQuarantined: Bool = false) async throws -> ChangeReport {
        let command = ModuleCommand.start(name)
        let sources = runtime.preflight?.forgetRefusals(of: name) ?? []
        let isRetry = isQuarantined || !sources.isEmpty
        if isRetry { retried.insert(name) }
        defer { if isRetry { retried.remove(name) } }
        switch runtime.module(name)?.state {
        case .resolved, .starting, .quarantined, .stopped, .leftOut:
            // Its own build, although a newer one may have been refused.
            return try await change(request(command))
        default: break
        }
        if let offered = repetition(of: name, sources) { return try await run(offered, from: catalog()) }
        guard !sources.isEmpty else { return try await change(request(command)) }
        return try await change(retry(name, sources))
    }

    /// Loads built libraries, as ``ModuleCommand/add(_:)`` does with those of a package.
    func load(_ libraries: [String]) async throws -> ChangeReport {
        var request = ChangeRequest(.watch)
        try await add(runtime.libraries(at: libraries), to: &request)
        return try await change(request)
    }

    private func request(_ command: ModuleCommand) async throws -> ChangeRequest {
        switch command {
        case .add(let paths): return try await additions(at: paths)
        case .update(let names, let withoutState):
            let paths = names.filter { $0.contains("/") }
            var request = try await updates(at: paths)
            let named = try names.filter { !paths.contains($0) }.map { try runtime.requireModule($0) }
            let modules = names.isEmpty ? runtime.modules.filter { $0.path != nil } : named
            request.updates += try await runtime.newerLibraries(of: modules)
            request.leavesState = withoutState
            return request
        case .remove(let names):
            var request = ChangeRequest()
            for name in names where !request.removals.contains(name) {
                guard name != databaseEngine else {
                    throw ModuleError(
                        "moduleInUse", "The data of this host are in the database that '\(name)' reaches.",
                        hint: "Start the host without a database URL to do without it.")
                }
                request.removals.append(try runtime.requireModule(name).name)
            }
            return request
        case .rollback(let name, let build, let withoutState, let restoresData):
            var request = ChangeRequest(.rollback)
            request.updates = [try runtime.formerBuild(build, of: runtime.requireModule(name))]
            (request.leavesState, request.restoresData) = (withoutState, restoresData)
            return request
        case .configure(let name, let values, let resets):
            let module = try runtime.requireModule(name)
            let edit = try ConfigurationEdit(
                values, resets: resets, of: module, runtime.configured(module).changes)
            return request(edit, of: module)
        case .start(let name):
            let module = try runtime.requireModule(name)
            guard !module.state.isActive else { return ChangeRequest() }
            var request = ChangeRequest(starting: module)
            if module.isLeftOut { request.starts = try runtime.namesToStart(module) }
            return request
        }
    }

    private func request(_ edit: ConfigurationEdit, of module: Module) -> ChangeRequest {
        var request = ChangeRequest(.configuration)
        guard runtime.configurationChanges.edited(by: [module.name: edit]) != runtime.configurationChanges
        else { return request }
        request.configurations[module.name] = edit
        // Its failure may have been due to its configuration.
        if case .failed = module.state { request.starts = [module.name] }
        return request
    }

    /// A change to the build that was refused, at the last of `sources` if the host does not have the module.
    private func retry(_ name: String, _ sources: [String]) async throws -> ChangeRequest {
        if runtime.module(name) == nil, let source = sources.last { return try await additions(at: [source]) }
        let request = try await self.request(.update([name]))
        return try await request.updates.isEmpty ? self.request(.start(name)) : request
    }

    /// The updates among the modules at paths, all of which the host has to have.
    private func updates(at paths: [String]) async throws -> ChangeRequest {
        var request = ChangeRequest()
        let (named, contained) = try await libraries(at: paths)
        for library in onePerName(named + contained, &request.doubts) {
            let present = try runtime.requireModule(library.name)
            if present.digest != library.digest { request.updates.append(library) }
        }
        return request
    }

    /// The modules at paths; one that the host has already is an update if a folder or a package contains it.
    private func additions(at paths: [String]) async throws -> ChangeRequest {
        var request = ChangeRequest()
        let (named, contained) = try await libraries(at: paths)
        request.additions = named
        add(contained, to: &request)
        return request
    }

    /// The libraries that paths name, and those in the folders and packages that they name.
    private func libraries(at paths: [String]) async throws
        -> (named: [CheckedLibrary], contained: [CheckedLibrary])
    {
        var (named, contained): ([CheckedLibrary], [CheckedLibrary]) = ([], [])
        for path in paths {
            switch try ModuleSource(path: FileSystem.normalized(FileSystem.absolute(path))) {
            case .library(let library): named += try await runtime.libraries(at: [library])
            case .folder(let found): contained += try await runtime.libraries(at: found)
            case .package(let folder):
                let built = try await PackageBuild(folder).run { announce($0) }
                contained += try await runtime.libraries(at: built)
            }
        }
        return (named, contained)
    }

    /// Adds new modules and updates of those whose library has changed; of two files of one module, the newer.
    private func add(_ libraries: [CheckedLibrary], to request: inout ChangeRequest) {
        for library in onePerName(libraries, &request.doubts) {
            guard let present = runtime.module(library.name) else {
                request.additions.append(library)
                continue
            }
            if present.digest != library.digest { request.updates.append(library) }
        }
    }

    // MARK: - Keeping changes

    /// Loads the engine of the database server, so that the migrations of an update are part of it.
    ///
    /// Runs before the change: loading the engine is another change, which would wait for this one.
    private func loadEngine(for request: ChangeRequest) async throws {
        guard let engine = databaseEngine.flatMap(runtime.module), engine.isOnDemand, !engine.state.isActive,
            !request.updates.isEmpty, !request.updates.contains(where: { $0.name == engine.name })
        else { return }
        try await runtime.load(engine)
    }

    package func change(_ request: ChangeRequest) async throws -> ChangeReport {
        guard !request.names.isEmpty else {
            return ChangeReport(plan: ChangePlan(contracts: runtime.laterContracts()))
        }
        // Otherwise a change that is still unsaved would be lost with its intent.
        if intents?.isPending == true { try save() }
        try await loadEngine(for: request)
        var request = request
        var next = installed
        request.willCommit = { [self, request] databases in
            next = after(request)
            try note(request, next, databases)
        }
        var report: ChangeReport
        do {
            report = try await runtime.change(request)
        } catch {
            try? intents?.end()
            installedFile?.discardPrepared()
            configurationFile?.discardPrepared()
            throw error
        }
        keep(request, next)
        do {
            try save()
            // Clean up last: a next start that does not know of the change needs these libraries.
            if !request.removals.isEmpty { repositories.clean(using: usedLibraries) }
        } catch {
            let what =
                intents?.isPending == true
                ? "The next start completes the change, which can't be saved now"
                : "The change is not kept for the next start"
            let message = "\(what): \(ModuleError.message(of: error))"
            report.events.append(ModuleEvent(code: "changeNotKept", message: message))
        }
        try? renewWatch()
        return report
    }

    /// Records a change before it modifies data; for one without data, checks that there is room to save it.
    private func note(
        _ request: ChangeRequest, _ next: InstalledModules, _ databases: [ChangeIntent.Database]
    ) throws {
        let next = written(next)
        let configuration = runtime.configurationChanges.edited(by: request.configurations)
        guard let intents, !databases.isEmpty else {
            if next != InstalledModules() { try installedFile?.prepare(next) }
            if !request.configurations.isEmpty { try configurationFile?.prepare(configuration) }
            return
        }
        try intents.begin(
            ChangeIntent(installed: next, configuration: configuration, databases: databases))
    }

    // MARK: - The state of modules

    /// Takes the state of all active modules and saves it for the next process.
    ///
    /// - Returns: Errors about states that can't be saved, each reported once.
    package func keepStates() -> [any ExplainedError] {
        let problems = runtime.keepStates()
        refusedStates = []
        do {
            try saveStates()
        } catch {
            return problems + [ModuleError.explained(error, of: "host")]
        }
        let told = toldRefusals
        toldRefusals = Set(refusedStates)
        return problems + refusedStates.filter { !told.contains($0) }.map { ModuleError("stateNotKept", $0) }
    }

    /// Reads the saved states again, and gives them to the active modules.
    package func reloadStates(report: (any ExplainedError) -> Void) {
        do { runtime.states = try stateFile?.load(report: report) ?? ModuleStates() } catch { report(error) }
        for generation in runtime.started.compactMap(\.current) {
            guard let problem = runtime.returnState(to: generation) else { continue }
            report(ModuleError("stateUnfit", problem))
        }
    }

    /// Restores a module's saved state, and saves the present one.
    package func restoreState(of name: String) throws {
        try runtime.restoreEarlierState(of: name)
        try saveStates()
    }

    /// Saves the states of modules; one that is too large to be read back keeps its previously saved state.
    private func saveStates() throws {
        let states = runtime.states == ModuleStates() ? nil : runtime.states
        try stateFile?.save(states) { states, former, excess in
            let (smaller, refused) = states.reduced(by: excess, to: former)
            refusedStates += refused
            return refused.isEmpty ? nil : smaller
        }
    }

    func save() throws {
        let installed = written(installed)
        try installedFile?.save(installed == InstalledModules() ? nil : installed)
        let configuration = runtime.configurationChanges
        try configurationFile?.save(configuration == ConfigurationChanges() ? nil : configuration)
        try intents?.end()
        try saveStates()
    }

    /// The list as it is written: paths inside the data folder are relative to it.
    private func written(_ installed: InstalledModules) -> InstalledModules {
        var installed = installed
        installed.added = installed.added.map { $0.with(path: repositories.relative($0.path)) }
        return installed
    }

    private func keep(_ request: ChangeRequest, _ next: InstalledModules) {
        // The user, or a new build, has it loaded again.
        for library in request.additions + request.updates where crashes.quarantined[library.name] != nil {
            release(library.name)
        }
        let isWatching = installed.isWatching
        installed = next
        (runtime.former, runtime.origins) = (next.former ?? [], next.origins ?? [:])
        // A command may have changed it since `next` was determined.
        installed.isWatching = isWatching
    }
}
