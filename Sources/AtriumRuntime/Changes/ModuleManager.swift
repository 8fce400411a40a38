@_spi(Host) package import AtriumKit
internal import AtriumManifest
package import AtriumStorage

/// What a person asks of the set of modules, by names and paths.
package enum ModuleCommand: Sendable {
    /// Adds libraries, folders of them, and packages, which are built first. Modules of a folder or package that
    /// are here are updated if their library has changed.
    case add([String])
    /// Replaces modules by the libraries at their paths; without names, all whose library has changed. Their state
    /// is handed over unless it is to be left.
    case update([String], withoutState: Bool = false)
    case remove([String])
    /// Returns to the build before the last update; with its data from before the migration, if it can't read the
    /// present data and that is to be restored.
    case rollback(String, withoutState: Bool = false, restoresData: Bool = false)
    /// Sets values of a module's configuration, each as `KEY=VALUE`, and has those of modules.json or the defaults
    /// count again for others.
    case configure(String, [String], resets: [String] = [])
    /// Starts a module that is loaded on demand, or failed.
    case start(String)
    /// Lifts a quarantine and starts the module.
    case release(String)
    /// Tries a refused build of a module again, and adds, updates or starts it.
    case retry(String)
}

/// Changes modules by command: finds what people name, changes it, keeps it for the next start, and watches for
/// new builds.
@MainActor
package final class ModuleManager {
    let runtime: ModuleRuntime
    private let installedFile: StateFile?
    private let crashFile: StateFile?
    private let stateFile: StateFile?
    private let configurationFile: StateFile?
    private let intents: ChangeIntents?
    var installed = InstalledModules()
    /// What was found when the kept state was read; nil until then.
    private var loadProblems: [any ExplainedError]?
    let repositories: Repositories
    private(set) var crashes = CrashHistory()
    var watcher: FileWatcher?
    /// The libraries that have changed and are not updated yet.
    var changed: Set<String> = []
    var isUpdating = false
    /// Whether the process before this one watched when it crashed.
    private var resumesWatching = false
    /// The states that were too large when they were saved last, in sentences, and those of them that were told.
    private var refusedStates: [String] = []
    private var toldRefusals: Set<String> = []
    /// Shows a person a line about what happened by itself.
    package var announce: @MainActor (String) -> Void = { _ in }
    /// The module by which this host reaches its database; nil without one.
    package var databaseEngine: String?
    /// Finds the modules without which a crash does not happen; nil if this host can't start others.
    package var bisection: CrashBisection?

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

    /// Reads the kept state.
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

    /// Applies the changes and quarantines of earlier processes, before the modules are started.
    ///
    /// - Parameters:
    ///   - crash: How the process before this one crashed, if it did.
    ///   - failedStarts: How many starts in a row have failed.
    /// - Returns: What was set aside of the kept state.
    /// - Throws: As ``load()``, unless that was called before.
    package func restore(after crash: CrashRecord?, failedStarts: Int = 0) throws -> [any ExplainedError] {
        if loadProblems == nil { try load() }
        let problems = loadProblems ?? []
        if let crash { record(crash, failedStarts) }
        resumesWatching = crash != nil && installed.isWatching
        installed.isWatching = false
        runtime.apply(installed)
        for module in runtime.modules { module.quarantine = crashes.quarantined[module.name] }
        return problems
    }

    /// Completes a change whose process was killed after it had changed data.
    private func complete(_ intent: ChangeIntent) {
        installed = intent.installed
        installed.added = installed.added.map { $0.with(path: repositories.absolute($0.path)) }
        runtime.configurationChanges = intent.configuration
        let names = Set(intent.databases.map(\.module)).sorted().joined(separator: ", ")
        let sentence =
            "A change of modules was interrupted while it changed the data of \(names); it is now completed."
        runtime.notes.append(sentence)
        runtime.journal.record("completed", sentence)
        // Else the intent stays, and the next start completes it.
        try? save()
    }

    /// Resumes watching if the process before this one watched when it crashed; call it after the start.
    package func resumeWatching() {
        if resumesWatching { try? watch(true) }
    }

    /// Adds a crash to journal and history, which may quarantine a module.
    private func record(_ crash: CrashRecord, _ failedStarts: Int) {
        let module = crash.culprit
        runtime.journal.append([
            runtime.journal.event(
                "crashed", module: module?.name, crash.sentence, generation: module?.generation,
                digest: module?.digest)
        ])
        if let name = crashes.append(crash, failedStarts: failedStarts) {
            runtime.journal.record("quarantined", module: name, crashes.quarantined[name]?.reason)
        }
        try? crashFile?.save(crashes)
    }

    /// What a person is told of a start that failed; to be said before anything of a module runs, which may end the
    /// process again.
    package func notices(
        of failure: StartJournal.Failure?, _ crash: CrashRecord?
    ) -> [any ExplainedError] {
        guard let failure else { return [] }
        var notices: [any ExplainedError] = []
        if let crash, !Watchdog.hasStartedAnew {
            notices.append(CrashNotice(crash, hint: hint(after: crash)))
        }
        let isQuarantined = crash?.culprit.map { crashes.quarantined[$0.name] != nil } ?? false
        if !isQuarantined, let failed = FailedStarts(failure) { notices.append(failed) }
        return notices
    }

    /// The next step after a crash, as a command.
    package func hint(after crash: CrashRecord) -> String? {
        guard let name = crash.culprit?.name else { return "events" }
        if crashes.quarantined[name] != nil { return "module release \(name)" }
        if crash.isInStart { return "If the host does not start: atrium --without \(name)" }
        return crash.commands.isEmpty ? "events" : "module bisect"
    }

    private func release(_ name: String) {
        crashes.release(name)
        if let module = runtime.module(name), module.quarantine != nil {
            module.quarantine = nil
            module.state = .resolved
        }
        try? crashFile?.save(crashes)
        runtime.journal.record("released", module: name)
    }

    // MARK: - Commands

    /// What a command would do; nothing is loaded or tried.
    ///
    /// - Throws: What is wrong with the command or a library.
    package func plan(_ command: ModuleCommand) async throws -> ChangePlan {
        try await runtime.plan(request(command))
    }

    /// Carries out a command, all of it or nothing, and keeps it for the next start.
    ///
    /// - Returns: What was done; a plan without steps if everything is as asked already.
    /// - Throws: ``ModuleError``; everything is as it was then.
    package func run(_ command: ModuleCommand) async throws -> ChangeReport {
        if case .release(let name) = command {
            _ = try runtime.requireModule(name)
            release(name)
        }
        if case .retry(let name) = command {
            let sources = runtime.preflight?.forgetRefusals(of: name) ?? []
            if let offered = repetition(of: name, sources) { return try await run(offered, from: catalog()) }
            return try await change(retry(name, sources))
        }
        return try await change(request(command))
    }

    /// Loads libraries that were built: as ``ModuleCommand/add(_:)`` does with a package that has made them.
    func load(_ libraries: [String]) async throws -> ChangeReport {
        var request = ChangeRequest(.watch)
        try await add(libraries, to: &request)
        return try await change(request)
    }

    private func request(_ command: ModuleCommand) async throws -> ChangeRequest {
        switch command {
        case .add(let paths): return try await additions(at: paths)
        case .update(let names, let withoutState):
            var request = try await updates(of: names)
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
        case .rollback(let name, let withoutState, let restoresData):
            guard let previous = try runtime.requireModule(name).previous else {
                throw ModuleError(
                    .notFound, "Module '\(name)' has no earlier generation in this host.",
                    hint: "module \(name)")
            }
            var request = ChangeRequest(.rollback)
            request.updates = [previous]
            (request.leavesState, request.restoresData) = (withoutState, restoresData)
            return request
        case .configure(let name, let values, let resets):
            let module = try runtime.requireModule(name)
            let edit = try ConfigurationEdit(
                values, resets: resets, of: module, runtime.configured(module).changes)
            return request(edit, of: module)
        case .start(let name), .release(let name):
            let module = try runtime.requireModule(name)
            guard !module.state.isActive else { return ChangeRequest() }
            var request = ChangeRequest(starting: module)
            if module.isLeftOut { request.starts = try runtime.namesToStart(module) }
            return request
        case .retry(let name): return try await retry(name, [])
        }
    }

    private func request(_ edit: ConfigurationEdit, of module: Module) -> ChangeRequest {
        var request = ChangeRequest(.configuration)
        guard runtime.configurationChanges.edited(by: [module.name: edit]) != runtime.configurationChanges
        else { return request }
        request.configurations[module.name] = edit
        // It may have failed because of its configuration.
        if case .failed = module.state { request.starts = [module.name] }
        return request
    }

    private func retry(_ name: String, _ sources: [String]) async throws -> ChangeRequest {
        guard let module = runtime.module(name) else {
            // Refused when it was added, so that it is none of the host's.
            guard let source = sources.last else {
                return ChangeRequest(starting: try runtime.requireModule(name))
            }
            return try await additions(at: [source])
        }
        let request = try await updates(of: [name])
        guard request.updates.isEmpty else { return request }
        return module.state.isActive ? ChangeRequest() : ChangeRequest(starting: module)
    }

    private func additions(at paths: [String]) async throws -> ChangeRequest {
        var request = ChangeRequest()
        for path in paths {
            let path = FileSystem.normalized(FileSystem.absolute(path))
            let libraries: [String]
            switch try ModuleSource(path: path) {
            case .library(let library):
                request.additions += try await runtime.libraries(at: [library])
                continue
            case .folder(let found): libraries = found
            case .package(let folder): libraries = try await PackageBuild(folder).run { announce($0) }
            }
            try await add(libraries, to: &request)
        }
        return request
    }

    /// Adds new modules and updates of those whose library has changed.
    private func add(_ libraries: [String], to request: inout ChangeRequest) async throws {
        for library in try await runtime.libraries(at: libraries) {
            guard let present = runtime.module(library.name) else {
                request.additions.append(library)
                continue
            }
            if present.digest != library.digest { request.updates.append(library) }
        }
    }

    private func updates(of names: [String]) async throws -> ChangeRequest {
        let modules =
            try names.isEmpty
            ? runtime.modules.filter { $0.path != nil } : names.map { try runtime.requireModule($0) }
        var request = ChangeRequest()
        for module in modules {
            if let library = try await runtime.newerLibrary(of: module) { request.updates.append(library) }
        }
        return request
    }

    // MARK: - Keeping changes

    func change(_ request: ChangeRequest) async throws -> ChangeReport {
        guard !request.names.isEmpty else { return ChangeReport(plan: ChangePlan()) }
        // What an earlier change could not write would be forgotten with its intent.
        if intents?.isPending == true { try save() }
        var request = request
        var left: [String: String] = [:]
        request.willCommit = { [self] databases in
            left = builds(of: request.updates.map(\.name))
            try note(request, left: left, databases)
        }
        var report: ChangeReport
        do {
            report = try await runtime.change(request)
        } catch {
            try? intents?.end()
            throw error
        }
        keep(request, left: left)
        do {
            try save()
            // Last of all: a next start that knows nothing of the change needs them.
            if !request.removals.isEmpty { repositories.clean(using: usedLibraries) }
        } catch {
            let what =
                intents?.isPending == true
                ? "The next start completes the change, which can't be saved now"
                : "The change is not kept for the next start"
            report.warnings.append("\(what): \(ModuleError.message(of: error))")
        }
        try? renewWatch()
        return report
    }

    /// The digests of the builds that modules have now, by name.
    private func builds(of names: [String]) -> [String: String] {
        names.reduce(into: [:]) { digests, name in
            let module = runtime.module(name)
            digests[name] = module?.current?.library.digest ?? module?.previous?.digest
        }
    }

    /// Notes a change before it changes data; one without data is made only if there is room to keep it.
    private func note(
        _ request: ChangeRequest, left: [String: String], _ databases: [ChangeIntent.Database]
    ) throws {
        let next = written(after(installed, request, left: left))
        guard let intents, !databases.isEmpty else {
            if next != InstalledModules() { try installedFile?.checkRoom(for: next) }
            return
        }
        try intents.begin(
            ChangeIntent(
                installed: next,
                configuration: runtime.configurationChanges.edited(by: request.configurations),
                databases: databases))
    }

    // MARK: - The state of modules

    /// Takes the state of all active modules and saves it for the next process.
    ///
    /// - Returns: What can't be kept, each told once.
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

    /// Gives a module its kept state, and keeps the present one.
    package func restoreState(of name: String) throws {
        try runtime.restoreEarlierState(of: name)
        try saveStates()
    }

    /// Saves the states of modules; one that is too large to be read again stays as it was kept before.
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

    /// The list as it is written: paths in the data folder as they are seen from there.
    private func written(_ installed: InstalledModules) -> InstalledModules {
        var installed = installed
        installed.added = installed.added.map { $0.with(path: repositories.relative($0.path)) }
        return installed
    }

    private func keep(_ request: ChangeRequest, left: [String: String]) {
        // A person, or a new build, has it loaded again.
        for library in request.additions + request.updates where crashes.quarantined[library.name] != nil {
            release(library.name)
        }
        installed = after(installed, request, left: left)
    }

    /// The list after a change; `left` are the builds that it replaces.
    private func after(
        _ former: InstalledModules, _ request: ChangeRequest, left: [String: String]
    ) -> InstalledModules {
        var installed = former
        for library in request.additions {
            installed.added.removeAll { $0.name == library.name }
            if runtime.isAsConfigured(library) {
                installed.removed.removeAll { $0 == library.name }
            } else {
                installed.added.append(.init(name: library.name, path: library.source))
            }
        }
        for name in request.removals {
            let wasAdded = installed.added.contains { $0.name == name }
            installed.added.removeAll { $0.name == name }
            installed.rolledBack[name] = nil
            let isConfigured = runtime.configuredNames.contains(name)
            if !wasAdded || isConfigured, !installed.removed.contains(name) { installed.removed.append(name) }
        }
        for library in request.updates {
            keepSource(of: library, in: &installed)
            installed.rolledBack[library.name] = nil
            if request.cause == .rollback, let left = left[library.name] {
                installed.rolledBack[library.name] = .init(digest: library.digest, instead: left)
            }
        }
        return installed
    }

    /// Keeps which library a module was updated to, if that is not the one that it would be loaded from.
    private func keepSource(of library: CheckedLibrary, in installed: inout InstalledModules) {
        let former = installed.added.firstIndex { $0.name == library.name }
        guard runtime.configuredNames.contains(library.name), !installed.removed.contains(library.name) else {
            if let former { installed.added[former] = installed.added[former].with(path: library.source) }
            return
        }
        let instead = former.flatMap { installed.added.remove(at: $0).instead }
        guard repositories.has(library.source),
            let instead = instead ?? runtime.configuredVersion(of: library.name)
        else { return }
        installed.added.append(.init(name: library.name, path: library.source, instead: instead))
    }
}
