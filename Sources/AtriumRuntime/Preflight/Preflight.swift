@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// Tries libraries that are new here in a child process of the same executable, before they are loaded.
///
/// One child loads all of them. A crash or hang is attributed to the module whose step it was, and another child
/// tries the rest. Verdicts are stored by the library's digest.
@MainActor
package final class Preflight {
    private let executable: String
    private let store: VerdictStore
    private let limits: Limits
    private var verdicts: [String: Verdict] = [:]

    /// What the child may use.
    package struct Limits: Sendable {
        /// How long one step of one module may take.
        package var step: Duration
        /// How many bytes of data the child may have.
        package var memory: Int

        package init(step: Duration = .seconds(5), memory: Int = 1 << 30) {
            self.step = step
            self.memory = memory
        }
    }

    /// - Parameters:
    ///   - executable: The host, which has the option `--preflight FOLDER`.
    ///   - folder: Where verdicts are stored.
    ///   - limits: What the child may use.
    package init(executable: String, folder: String, limits: Limits = Limits()) {
        self.executable = executable
        self.limits = limits
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
        var remaining: [CheckedLibrary] = []
        for library in new {
            if let error = mismatch(of: library, configuration[library.name] ?? []) {
                refusals[library.name] = error
            } else {
                remaining.append(library)
            }
        }
        while !remaining.isEmpty {
            try Task.checkCancellation()
            let request = request(libraries.filter { refusals[$0.name] == nil }, remaining, configuration)
            let result = try await PreflightRun(request, executable: executable, limits: limits).run()
            for library in remaining {
                guard let error = result.refusals[library.name] else { continue }
                refusals[library.name] = error
                if error.isHarm { remember(.refused(error), on: library) }
            }
            remaining.removeAll { refusals[$0.name] != nil }
            // The cause of the end was none of the new modules.
            if result.isComplete || result.refusals.isEmpty {
                for library in remaining { remember(.passed, on: library) }
                break
            }
        }
        return refusals
    }

    private func request(
        _ libraries: [CheckedLibrary], _ new: [CheckedLibrary],
        _ configuration: [String: [ManifestValue.Member]]
    ) -> PreflightRequest {
        let names = Set(new.map(\.name))
        let modules = libraries.map { library in
            PreflightRequest.Module(
                name: library.name, library: library.copy.path, digest: library.digest,
                source: library.source, isNew: names.contains(library.name),
                configuration: ManifestValue.object(configuration[library.name] ?? []).json)
        }
        return PreflightRequest(modules: modules, memoryLimit: limits.memory)
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

/// What one child found.
struct PreflightResult {
    var refusals: [String: ModuleError] = [:]
    /// Whether the child did everything.
    var isComplete = false
}
