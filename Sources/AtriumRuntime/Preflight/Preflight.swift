@_spi(Host) internal import AtriumKit
internal import AtriumManifest

/// Tries libraries that are new here in a child process of the same executable, before they are loaded.
///
/// One child loads all of them. A crash or hang is attributed to the module whose step it was, and another child
/// tries the rest. Verdicts are stored by the library's digest.
@MainActor
package final class Preflight {
    private let executable: String
    private let store: VerdictStore
    private let limit: Duration
    private var verdicts: [String: Verdict] = [:]

    /// - Parameters:
    ///   - executable: The host, which has the option `--preflight FOLDER`.
    ///   - folder: Where verdicts are stored.
    ///   - limit: How long one step of one module may take.
    package init(executable: String, folder: String, limit: Duration = .seconds(5)) {
        self.executable = executable
        self.limit = limit
        store = VerdictStore(folder: folder, executable: executable)
    }

    /// The result of trying a library; nil if it is new here.
    func verdict(of library: CheckedLibrary) -> Verdict? {
        if let known = verdicts[library.digest] { return known }
        let stored = store.verdict(on: library.digest)
        verdicts[library.digest] = stored
        return stored
    }

    /// Forgets that a library took too long: the machine may have been busy, or the limit may have changed.
    func forgetHang(of library: CheckedLibrary) {
        guard case .refused(let error)? = verdict(of: library), error.code == .hangs else { return }
        verdicts[library.digest] = nil
        store.remove(library.digest)
    }

    /// Tries libraries, and stores a verdict on each that passed or did harm.
    ///
    /// A fault of a registration may be fixed elsewhere, in modules.json or in another module, so that verdict is
    /// not stored.
    ///
    /// - Parameters:
    ///   - libraries: Everything that is loaded, in order.
    ///   - new: Those to try.
    ///   - configuration: What `modules.json` configures.
    /// - Returns: Why modules are refused.
    /// - Throws: ``ModuleError`` if the child can't be run, and `CancellationError`; there is no verdict then.
    func run(
        _ libraries: [CheckedLibrary], new: [CheckedLibrary], configuration: [String: [ManifestValue.Member]]
    ) async throws -> [String: ModuleError] {
        var refusals: [String: ModuleError] = [:]
        for library in new {
            refusals[library.name] = mismatch(of: library, configuration[library.name] ?? [])
        }
        var remaining = new.filter { refusals[$0.name] == nil }
        while !remaining.isEmpty {
            try Task.checkCancellation()
            let names = Set(remaining.map(\.name))
            let modules = libraries.filter { refusals[$0.name] == nil }.map { library in
                PreflightModule(
                    name: library.name, library: library.copy.path, digest: library.digest,
                    source: library.source, isNew: names.contains(library.name),
                    configuration: ManifestValue.object(configuration[library.name] ?? []).json)
            }
            let run = PreflightRun(modules, executable: executable, limit: limit)
            try await run.run()
            for library in remaining {
                guard let error = run.refusals[library.name] else { continue }
                refusals[library.name] = error
                if error.isHarm { remember(.refused(error), on: library) }
            }
            remaining.removeAll { refusals[$0.name] != nil }
            // The cause of the end was none of the new modules.
            if run.isComplete || run.refusals.isEmpty {
                for library in remaining { remember(.passed, on: library) }
                break
            }
        }
        return refusals
    }

    /// What is wrong with a library that could not even be opened here; nil if it has to be tried.
    private func mismatch(of library: CheckedLibrary, _ configured: [ManifestValue.Member]) -> ModuleError? {
        do {
            _ = try ModuleConfiguration.merge(configured, into: library.manifest)
            try Contract.checkSymbols(of: ELFFile(RandomAccessFile(library.copy.path)), library.name)
            return nil
        } catch {
            return error as? ModuleError ?? .failed(library.name, in: "load", error)
        }
    }

    private func remember(_ verdict: Verdict, on library: CheckedLibrary) {
        verdicts[library.digest] = verdict
        store.store(verdict, on: library.digest)
    }
}
