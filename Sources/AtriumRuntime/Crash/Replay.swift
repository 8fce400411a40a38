/// Which modules it takes for a crash to happen.
package struct BisectReport: Sendable {
    /// The commands that were run.
    package let script: String
    /// The modules that were there.
    package let modules: [String]
    /// The modules without which it does not happen; empty where it did not happen at all.
    package let guilty: [String]
    /// What each try came to.
    package let tries: [Try]
    /// The crash with only the guilty ones, in a sentence.
    package let crash: String?

    /// A host of its own with some of the modules.
    package struct Try: Sendable {
        package let modules: [String]
        package let crashed: Bool
    }
}

/// Runs commands in a host of its own, with some of the modules, to see whether it crashes.
@MainActor
package struct Replay {
    /// - Returns: How it crashed; nil where it did not.
    let run: @MainActor (_ modules: [String], _ script: String) async throws -> CrashRecord?

    package init(
        _ run: @escaping @MainActor (_ modules: [String], _ script: String) async throws -> CrashRecord?
    ) {
        self.run = run
    }

    /// Finds the smallest set of modules with which the script still crashes.
    ///
    /// By delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002):
    /// halves first, then ever smaller parts are left out.
    ///
    /// - Parameters:
    ///   - modules: The modules, in order; what a module requires comes with it.
    ///   - requirements: What each of them requires, itself included.
    ///   - script: The commands to run.
    /// - Returns: The set, and every try.
    /// - Throws: What keeps a host from being run, and `CancellationError`.
    func bisect(
        _ modules: [String], requirements: [String: Set<String>], script: String
    ) async throws -> BisectReport {
        var tries: [BisectReport.Try] = []
        var crash: CrashRecord?
        func crashes(_ chosen: [String]) async throws -> Bool {
            let needed = chosen.reduce(into: Set<String>()) { $0.formUnion(requirements[$1] ?? [$1]) }
            let tried = modules.filter(needed.contains)
            let record = try await run(tried, script)
            tries.append(BisectReport.Try(modules: tried, crashed: record != nil))
            if let record { crash = record }
            return record != nil
        }
        guard try await crashes(modules) else {
            return BisectReport(script: script, modules: modules, guilty: [], tries: tries, crash: nil)
        }
        var guilty = modules
        var parts = 2
        while guilty.count > 1 {
            try Task.checkCancellation()
            let chunks = Self.split(guilty, into: parts)
            if let part = try await first(chunks, where: crashes) {
                guilty = part
                parts = 2
            } else if parts > 2,
                let rest = try await first(
                    chunks.map { part in guilty.filter { !part.contains($0) } }, where: crashes)
            {
                guilty = rest
                parts = max(parts - 1, 2)
            } else if parts < guilty.count {
                parts = min(parts * 2, guilty.count)
            } else {
                break
            }
        }
        return BisectReport(
            script: script, modules: modules, guilty: guilty, tries: tries, crash: crash?.sentence)
    }

    private func first(
        _ choices: [[String]], where holds: ([String]) async throws -> Bool
    ) async throws -> [String]? {
        for choice in choices {
            if try await holds(choice) { return choice }
        }
        return nil
    }

    private static func split(_ list: [String], into count: Int) -> [[String]] {
        (0..<count).map { index in
            Array(list[(list.count * index / count)..<(list.count * (index + 1) / count)])
        }.filter { !$0.isEmpty }
    }
}
