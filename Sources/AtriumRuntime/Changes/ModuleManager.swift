@_spi(Host) package import AtriumKit
internal import AtriumManifest
package import AtriumStorage

/// Changes modules on behalf of people: finds what they name, carries it out, keeps it for the next start,
/// watches for new builds.
@MainActor
package final class ModuleManager {
    let runtime: ModuleRuntime
    private let installedFile: StateFile?
    private let crashFile: StateFile?
    private var installed = InstalledModules()
    private(set) var crashes = CrashHistory()
    private var watcher: FileWatcher?
    /// The libraries that have changed and are not updated yet.
    private var changed: Set<String> = []
    private var isUpdating = false
    /// Whether the process before watched when it crashed.
    private var goesOnWatching = false
    /// Tells a person what happened by itself, in a line.
    package var announce: @MainActor (String) -> Void = { _ in }
    /// Finds the modules without which a crash does not happen; nil if this host can't start others.
    package var bisection: CrashBisection?

    /// - Parameters:
    ///   - runtime: The modules.
    ///   - installed: Where changes are kept for the next start; nil keeps none.
    ///   - crashes: Where crashes are kept; nil keeps none.
    package init(
        _ runtime: ModuleRuntime, installed: StateFile? = nil,
        crashes: StateFile? = nil
    ) {
        self.runtime = runtime
        installedFile = installed
        crashFile = crashes
    }

    // MARK: - Before the start

    /// Puts what was changed in earlier processes into effect, before the modules are started.
    ///
    /// - Parameter crash: How the process before this one ended, where it crashed.
    /// - Returns: What can't be read of what was kept.
    package func restore(after crash: CrashRecord?) -> [any ExplainedError] {
        var problems: [any ExplainedError] = []
        installed = installedFile?.load { problems.append($0) } ?? InstalledModules()
        crashes = crashFile?.load { problems.append($0) } ?? CrashHistory()
        if let crash { note(crash) }
        goesOnWatching = crash != nil && installed.isWatching
        installed.isWatching = false
        runtime.apply(installed)
        for module in runtime.modules {
            guard let quarantine = crashes.quarantined[module.name] else { continue }
            runtime.quarantine(module, quarantine)
        }
        return problems
    }

    /// Goes on watching where the process before did when it crashed; called when the modules are started.
    package func resumeWatching() {
        if goesOnWatching { try? watch(true) }
    }

    /// Takes a crash into account: journal, history, quarantine.
    private func note(_ crash: CrashRecord) {
        let module = crash.module
        runtime.journal.note(
            "crashed", module: module?.name, generation: module?.generation, digest: module?.digest,
            crash.sentence)
        if let name = crashes.append(crash) {
            runtime.journal.note("quarantined", module: name, crashes.quarantined[name]?.reason)
        }
        try? crashFile?.save(crashes)
    }

    /// What to do after a crash.
    package func hint(after crash: CrashRecord) -> String? {
        guard let name = crash.module?.name else { return "events" }
        if crashes.quarantined[name] != nil { return "module release \(name)" }
        return crash.commands.isEmpty ? "events" : "module bisect"
    }

    /// Lifts a quarantine.
    package func release(_ name: String) {
        reload()
        crashes.release(name)
        if let module = runtime.module(name), module.quarantine != nil {
            module.quarantine = nil
            module.state = .resolved
        }
        try? crashFile?.save(crashes)
        runtime.journal.note("released", module: name)
    }

    // MARK: - Changes

    /// What `module add` of paths asks for: libraries, folders of them, and packages, which are built first.
    ///
    /// Of a package that was added before, modules whose library has changed are updated.
    ///
    /// - Throws: What is wrong with a path, a build, or a library; nothing of a library has run.
    package func additions(at paths: [String]) async throws -> ChangeRequest {
        var request = ChangeRequest()
        for path in paths {
            let path = FileSystem.normalized(FileSystem.absolute(path, in: FileSystem.workingFolder))
            switch try ModuleSource(path: path) {
            case .library(let library): request.additions += try runtime.candidates(at: [library])
            case .folder(let libraries):
                for candidate in try runtime.candidates(at: libraries) { add(candidate, to: &request) }
            case .package(let folder):
                let libraries = try await PackageBuild.run(folder) { announce($0) }
                for candidate in try runtime.candidates(at: libraries) { add(candidate, to: &request) }
            }
        }
        return request
    }

    private func add(_ built: Candidate, to request: inout ChangeRequest) {
        guard let present = runtime.module(built.name) else { return request.additions.append(built) }
        if present.digest != built.digest { request.updates.append(built) }
    }

    /// Carries out a change and keeps it for the next start.
    package func carryOut(_ request: ChangeRequest) async throws -> ChangeReport {
        var report = try await runtime.change(request)
        reload()
        remember(request)
        do {
            try installedFile?.save(installed == InstalledModules() ? nil : installed)
        } catch {
            report.warnings.append("The change is not kept for the next start: \(message(of: error))")
        }
        if watcher != nil { try? watcher?.watch(Set(watched + signatures), knownAs: identities) }
        return report
    }

    /// Takes over what another host on the same data has kept meanwhile.
    private func reload() {
        if let kept = installedFile?.load(InstalledModules.self, report: { _ in }) {
            let isWatching = installed.isWatching
            installed = kept
            installed.isWatching = isWatching
        }
        if let kept = crashFile?.load(CrashHistory.self, report: { _ in }) { crashes = kept }
    }

    private func remember(_ request: ChangeRequest) {
        for candidate in request.additions {
            installed.added.removeAll { $0.name == candidate.name }
            if runtime.isAsConfigured(candidate) {
                installed.removed.removeAll { $0 == candidate.name }
            } else {
                installed.added.append(.init(name: candidate.name, path: candidate.source))
            }
        }
        for name in request.removals {
            let wasAdded = installed.added.contains { $0.name == name }
            installed.added.removeAll { $0.name == name }
            installed.rolledBack[name] = nil
            let isConfigured = runtime.configuredNames.contains(name)
            if !wasAdded || isConfigured, !installed.removed.contains(name) { installed.removed.append(name) }
        }
        for candidate in request.updates {
            installed.rolledBack[candidate.name] = nil
            if crashes.quarantined[candidate.name] != nil { release(candidate.name) }
            if request.cause == .rollback, let left = runtime.module(candidate.name)?.previous {
                installed.rolledBack[candidate.name] = .init(digest: candidate.digest, instead: left.digest)
            }
        }
    }

    private func message(of error: any Error) -> String {
        (error as? any ExplainedError)?.message ?? "an error of type \(type(of: error))."
    }

    // MARK: - Watching

    package var isWatching: Bool { watcher != nil }

    /// The libraries that are watched.
    package var watched: [String] { runtime.modules.compactMap(\.path).sorted() }

    /// The signatures beside the libraries, where they are asked for: a build is signed after it was made.
    private var signatures: [String] {
        runtime.reader.trust?.policy == .signed ? watched.map { $0 + ".minisig" } : []
    }

    /// What the libraries were when they were read, so that a change since then is seen; not of those that were
    /// rolled back, which are meant to be others than the files.
    private var identities: [String: String] {
        var identities: [String: String] = [:]
        for module in runtime.modules where installed.rolledBack[module.name] == nil {
            guard let path = module.path, let candidate = module.current?.candidate else { continue }
            if !candidate.identity.isEmpty { identities[path] = candidate.identity }
        }
        return identities
    }

    /// Begins or ends watching the libraries of all modules.
    package func watch(_ isOn: Bool) throws {
        defer {
            installed.isWatching = isWatching
            try? installedFile?.save(installed == InstalledModules() ? nil : installed)
        }
        guard isOn else {
            watcher?.stop()
            watcher = nil
            return
        }
        guard watcher == nil else { return }
        let watcher = try FileWatcher(isComplete: {
            $0.hasSuffix(".minisig") || PackageBuild.isCompleteLibrary($0)
        }) { [weak self] path in
            self?.libraryChanged(path)
        }
        try watcher.watch(Set(watched + signatures), knownAs: identities)
        self.watcher = watcher
    }

    private func libraryChanged(_ path: String) {
        changed.insert(path.hasSuffix(".minisig") ? String(path.dropLast(8)) : path)
        guard !isUpdating else { return }
        isUpdating = true
        Task {
            while let path = changed.popFirst() { await update(path) }
            isUpdating = false
        }
    }

    private func update(_ path: String) async {
        guard let module = runtime.modules.first(where: { $0.path == path }) else { return }
        do {
            guard let candidate = try runtime.newer(module.name) else { return }
            var request = ChangeRequest(.watch)
            request.updates = [candidate]
            let from = module.current.map { "\($0.version)" }
            let activity = CrashHandler.begin(activity: "the update of \(module.name) by 'module watch'")
            defer { activity.end() }
            let report = try await carryOut(request)
            announce(line(module, from: from, report))
            for warning in report.warnings { announce("warning: \(warning)") }
        } catch {
            runtime.journal.note("refused", module: module.name, message(of: error))
            announce("warning: \(module.name) stays as it was: \(message(of: error))")
        }
    }

    private func line(_ module: Module, from: String?, _ report: ChangeReport) -> String {
        let milliseconds = Journal.microseconds(report.duration) / 1_000
        let places = report.plan.places
        let screens =
            places.isEmpty
            ? ""
            : places.count == 1
                ? ", the screen \(places[0]) built anew" : ", \(places.count) screens built anew"
        let to = module.current.map { "\($0.version)" }
        let versions = from == to ? to ?? "" : [from, to].compactMap { $0 }.joined(separator: " → ")
        return
            "updated \(module.name) \(versions), generation \(module.current?.number ?? 0), in \(milliseconds) ms\(screens)"
    }
}
