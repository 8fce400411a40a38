internal import AtriumCrash
@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest

/// Updates modules automatically when their libraries change.
extension ModuleManager {
    package var isWatching: Bool { watcher != nil }

    package var watched: [String] { runtime.modules.compactMap(\.path).sorted() }

    /// The signature files beside the libraries, if required: a build is signed after it is made.
    private var signatures: [String] {
        runtime.reader.trust?.policy == .signed ? watched.map { $0 + ".minisig" } : []
    }

    /// The identities of the files that were read, to detect later changes.
    ///
    /// Omits modules that were rolled back, whose builds differ from the files on purpose.
    private var identities: [String: String] {
        var identities: [String: String] = [:]
        for module in runtime.modules where installed.rolledBack[module.name] == nil {
            guard let path = module.path, let library = module.current?.library else { continue }
            if !library.identity.isEmpty { identities[path] = library.identity }
        }
        return identities
    }

    /// Starts or stops watching the libraries of all modules.
    ///
    /// - Throws: ``ModuleError`` if the system allows no more watches.
    package func watch(_ isOn: Bool) throws {
        defer {
            installed.isWatching = isWatching
            try? save()
        }
        guard isOn else {
            watcher?.stop()
            watcher = nil
            return
        }
        guard watcher == nil else { return }
        watcher = try FileWatcher(isComplete: {
            $0.hasSuffix(".minisig") || (try? ELFFile(RandomAccessFile($0))) != nil
        }) { [weak self] in self?.libraryChanged($0) }
        watcher?.onUnusable = { [weak self] in self?.libraryIsUnusable($0) }
        do {
            try renewWatch()
        } catch {
            watcher = nil
            throw error
        }
    }

    func renewWatch() throws {
        try watcher?.watch(Set(watched + signatures), knownAs: identities)
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

    /// Reports why a changed library is not loaded.
    private func libraryIsUnusable(_ path: String) {
        guard let module = runtime.modules.first(where: { $0.path == path }) else { return }
        do {
            _ = try ELFFile(RandomAccessFile(path))
        } catch {
            refuse(module, error)
        }
    }

    private func refuse(_ module: Module, _ error: any Error) {
        runtime.journal.record("refused", module: module.name, ModuleError.message(of: error))
        announce("warning: \(module.name) is not updated: \(ModuleError.message(of: error))")
    }

    private func update(_ path: String) async {
        guard let module = runtime.modules.first(where: { $0.path == path }) else { return }
        do {
            var request = ChangeRequest(.watch)
            request.updates = try await runtime.newerLibraries(of: [module])
            guard !request.updates.isEmpty else { return }
            let from = module.current.map { "\($0.version)" }
            let activity = CrashHandler.begin(activity: "the automatic update of \(module.name)")
            defer { activity.end() }
            let report = try await change(request)
            announce(line(module, from: from, report))
            for warning in report.warnings { announce("warning: \(warning.message)") }
        } catch {
            refuse(module, error)
        }
    }

    private func line(_ module: Module, from: String?, _ report: ChangeReport) -> String {
        let links = report.plan.screens
        let screens =
            links.isEmpty
            ? "" : links.count == 1 ? ", screen \(links[0]) rebuilt" : ", \(links.count) screens rebuilt"
        let to = module.current.map { "\($0.version)" }
        let versions = from == to ? to ?? "" : [from, to].compactMap { $0 }.joined(separator: " → ")
        return "updated \(module.name) \(versions), generation \(module.current?.number ?? 0), "
            + "in \(report.duration.wholeMilliseconds) ms\(screens)"
    }
}
