internal import AtriumKit
internal import AtriumLibraries

/// A build of a module that ran in this data folder, and of which the store still has the library.
package struct FormerBuild: Sendable {
    package let version: String
    /// When it was loaded last: `2026-11-29T23:04:21Z`.
    package let time: String
    package let digest: String

    /// The build in words: `the build 1f2e3d4c of 2026-11-29T23:04:21Z`.
    package var words: String { "the build \(digest.prefix(8)) of \(time)" }
}

extension ModuleRuntime {
    /// The builds of a module, by the journal, newest first.
    package func builds(of name: String) -> [FormerBuild] {
        let stored = reader.store.digests
        var builds: [FormerBuild] = []
        for event in journal.events().reversed() where event.module == name && event.kind != "crashed" {
            guard let version = event.version, let start = event.digest,
                let digest = stored.first(where: { $0.hasPrefix(start) }),
                !builds.contains(where: { $0.digest == digest })
            else { continue }
            builds.append(FormerBuild(version: version, time: event.time, digest: digest))
        }
        return builds
    }

    func words(forBuild library: CheckedLibrary) -> String {
        builds(of: library.name).first { $0.digest == library.digest }?.words ?? "the build before"
    }

    /// Finds the library of a former build of a module by its version, or how its digest or time begins; without
    /// `text`, the one before the last update.
    func formerBuild(_ text: String?, of module: Module) throws -> CheckedLibrary {
        if text == nil, let previous = module.previous { return previous }
        let others = builds(of: module.name).filter { $0.digest != module.digest }
        let found =
            text.map { text in
                others.filter {
                    // Shorter ones would fit by chance: each time begins with a year.
                    $0.version == text || text.count >= 4 && $0.digest.hasPrefix(text)
                        || text.count >= 10 && $0.time.hasPrefix(text)
                }
            } ?? Array(others.prefix(1))
        guard let matching = found.first, found.count == 1 else {
            let which = text.map { "build '\($0)'" } ?? "earlier build"
            let what = found.isEmpty ? "no \(which)" : "\(found.count) builds that match '\(text ?? "")'"
            let list = (found.isEmpty ? others : found).map { "\($0.version) is \($0.words)" }
            throw ModuleError(
                found.isEmpty ? .notFound : "ambiguousBuild",
                "Module '\(module.name)' has \(what) in this host."
                    + (list.isEmpty ? "" : " \(list.joined(separator: "; "))."),
                hint: "why \(module.name)")
        }
        return try reader.library(ofStored: matching.digest, of: module.name, source: module.path ?? "")
    }

    // MARK: - Refused libraries at the start

    /// Starts the newest former builds of modules whose library at its path was refused, with the modules that
    /// wait for them.
    func startFormerBuilds() async {
        var refused: [(module: Module, reason: any ExplainedError)] = []
        var request = ChangeRequest(.rollback)
        for module in modules {
            guard case .failed(let reason as ModuleError) = module.state, reason.isOfLibrary,
                let build = try? formerBuild(nil, of: module)
            else { continue }
            refused.append((module, reason))
            request.updates.append(build)
        }
        guard !refused.isEmpty else { return }
        do {
            events += try await change(request).events
        } catch {
            // Each keeps its reason.
            return
        }
        for (module, reason) in refused {
            guard let library = module.current?.library ?? module.library else { continue }
            module.refusal = reason
            events.append(
                ModuleEvent(
                    code: "formerBuild",
                    message:
                        "Module '\(module.name)' runs \(library.version), \(words(forBuild: library)): \(reason.message)",
                    hint: "Build it again, then: module update \(module.name)"))
        }
    }
}

extension ModuleError {
    /// True if the library itself was refused, not its configuration, trust or requirements.
    fileprivate var isOfLibrary: Bool {
        isHarm || [.notALibrary, .badManifest, .incompatible].contains(code)
    }
}
