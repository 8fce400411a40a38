@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// Tries libraries that are new here in a child process of the same executable, before they are loaded.
///
/// One child loads all of them; what ends it, or keeps it from going on, is laid at the door of the module
/// whose step it was, and another child tries the rest. The verdict is kept by the library's digest.
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
    ///   - folder: Where verdicts are kept.
    ///   - limits: What the child may use.
    package init(executable: String, folder: String, limits: Limits = Limits()) {
        self.executable = executable
        self.limits = limits
        store = VerdictStore(folder: folder, executable: executable)
    }

    /// What came of trying a library; nil where it is new here.
    func verdict(of candidate: Candidate) -> Verdict? {
        if let known = verdicts[candidate.digest] { return known }
        let kept = store.verdict(on: candidate.digest)
        verdicts[candidate.digest] = kept
        return kept
    }

    /// Forgets that a library took too long: the machine may have been busy, or the limit is another one now.
    func forgetHang(of candidate: Candidate) {
        guard case .refused(let error)? = verdict(of: candidate), error.code == .hangs else { return }
        verdicts[candidate.digest] = nil
        store.forget(candidate.digest)
    }

    /// Tries libraries, and keeps a verdict on each that passed or did harm.
    ///
    /// What is wrong with a registration may be mended elsewhere, in modules.json or in another module, so it
    /// is told and not kept.
    ///
    /// - Parameters:
    ///   - candidates: Everything that is loaded, in order.
    ///   - new: Those of them to be tried.
    ///   - configuration: What `modules.json` configures.
    /// - Returns: Why modules are refused.
    /// - Throws: ``ModuleError`` where the child can't be run, and `CancellationError`; there is no verdict then.
    func run(
        _ candidates: [Candidate], new: [Candidate], configuration: [String: [ManifestValue.Member]]
    ) async throws -> [String: ModuleError] {
        var refusals: [String: ModuleError] = [:]
        var remaining: [Candidate] = []
        for candidate in new {
            if let error = mismatch(of: candidate, configuration[candidate.name] ?? []) {
                refusals[candidate.name] = error
            } else {
                remaining.append(candidate)
            }
        }
        while !remaining.isEmpty {
            try Task.checkCancellation()
            let request = request(candidates.filter { refusals[$0.name] == nil }, remaining, configuration)
            let outcome = try await PreflightRun(request, executable: executable, limits: limits).run()
            for candidate in remaining {
                guard let error = outcome.refusals[candidate.name] else { continue }
                refusals[candidate.name] = error
                if error.isHarm { keep(.refused(error), on: candidate) }
            }
            remaining.removeAll { refusals[$0.name] != nil }
            // Without a culprit among the new ones, it was none of them.
            if outcome.isComplete || outcome.refusals.isEmpty {
                for candidate in remaining { keep(.passed, on: candidate) }
                break
            }
        }
        return refusals
    }

    private func request(
        _ candidates: [Candidate], _ new: [Candidate], _ configuration: [String: [ManifestValue.Member]]
    ) -> PreflightRequest {
        let names = Set(new.map(\.name))
        let modules = candidates.map { candidate in
            PreflightRequest.Module(
                name: candidate.name, library: candidate.library.path, digest: candidate.digest,
                source: candidate.source, isNew: names.contains(candidate.name),
                configuration: ManifestValue.object(configuration[candidate.name] ?? []).json)
        }
        return PreflightRequest(modules: modules, memoryLimit: limits.memory)
    }

    /// What can be found wrong with a library without a child: nothing of it could run here.
    private func mismatch(of candidate: Candidate, _ configured: [ManifestValue.Member]) -> ModuleError? {
        do {
            _ = try ModuleConfiguration.merge(configured, into: candidate.manifest)
            let library = try ELFFile(RandomAccessFile(candidate.library.path))
            try Contract.checkSymbols(of: library, candidate.name)
            return nil
        } catch {
            return error as? ModuleError ?? .failed(candidate.name, in: "load", error)
        }
    }

    private func keep(_ verdict: Verdict, on candidate: Candidate) {
        verdicts[candidate.digest] = verdict
        store.keep(verdict, on: candidate.digest)
    }

}

/// What one child came to.
struct PreflightOutcome {
    var refusals: [String: ModuleError] = [:]
    /// Whether the child did everything.
    var isComplete = false
}
