internal import AtriumKit
internal import AtriumManifest

extension ModuleManager {
    /// Finds out which modules it takes for a crash to happen, by running its commands in hosts of their own.
    ///
    /// - Parameter commands: What to run; nil for the command of the last crash, at its place.
    /// - Returns: The modules that it takes, and every try.
    /// - Throws: ``ModuleError`` where there is no crash to replay.
    package func bisect(_ commands: String?) async throws -> BisectReport {
        guard let replay else { throw ModuleError.noReplay }
        guard let script = commands ?? lastCrash else { throw ModuleError.nothingCrashed }
        let modules = runtime.modules.filter { $0.path != nil && $0.manifest != nil }.map(\.name)
        var requirements: [String: Set<String>] = [:]
        for name in modules { requirements[name] = closure(of: name) }
        return try await replay.bisect(modules, requirements: requirements, script: script)
    }

    private func closure(of name: String, _ seen: Set<String> = []) -> Set<String> {
        guard !seen.contains(name), let manifest = runtime.module(name)?.manifest else { return seen }
        return manifest.requires.reduce(seen.union([name])) { closure(of: $1.name, $0) }
    }
}

extension ModuleError {
    static let nothingCrashed = ModuleError(
        .notFound, "Nothing has crashed here, so there is nothing to replay.",
        hint: "Name the commands: module bisect 'LINE; LINE'")
    static let noReplay = ModuleError(.notAllowed, "This host can't start others to replay a crash in.")
}
