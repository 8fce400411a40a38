@_spi(Host) package import AtriumKit
internal import AtriumManifest
package import AtriumStorage

/// The result of a bisection: the modules that a crash depends on.
package struct BisectReport: Sendable {
    package let script: String
    package let modules: [String]
    /// The smallest set with which it crashes; empty if it never crashed.
    package let guilty: [String]
    package let tries: [Try]
    /// The crash with only the guilty modules, as a sentence.
    package let crash: String?

    /// A run in a separate host, with some of the modules.
    package struct Try: Sendable {
        package let modules: [String]
        package let crashed: Bool
    }
}

/// Finds the modules that a crash depends on, by running commands in separate hosts.
@MainActor
package struct CrashBisection {
    /// Runs the commands with some of the modules; returns the host's crash, nil if there was none.
    private let run: @MainActor (_ modules: [String], _ script: String) async throws -> CrashRecord?

    package init(
        _ run: @escaping @MainActor (_ modules: [String], _ script: String) async throws -> CrashRecord?
    ) {
        self.run = run
    }

    /// Finds the smallest set of modules with which the script still crashes.
    ///
    /// Uses delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
    /// 2002): tries halves first, then leaves out smaller and smaller parts.
    ///
    /// - Returns: The set, and every try.
    /// - Throws: The reason why a host can't be run, and `CancellationError`.
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

extension CrashBisection {
    /// Runs commands in child processes of the same executable, each with a copy of the data.
    package init(
        executable: String, data: DataFolder, environment: Environment, runtime: ModuleRuntime,
        limit: Duration = .seconds(30)
    ) {
        self.init { [unowned runtime] modules, script in
            let folder = try ScratchFolder()
            let (copy, configuration) = (folder.path("data"), folder.path("modules.json"))
            try FileSystem.makeFolder(copy)
            try await Self.copyState(of: data, to: copy)
            try AtomicFile.write(
                Array(runtime.configuration(of: modules, environment).utf8), to: configuration,
                synchronizing: false)
            let child = try ChildProcess(
                executable,
                [
                    "--no-preflight", "--no-supervisor", "--data", copy, "--config", configuration,
                    "--keep-going", "-c", script,
                ])
            let watchdog = Task {
                try await Task.sleep(for: limit)
                child.end(grace: 0)
            }
            _ = await child.wait()
            watchdog.cancel()
            try Task.checkCancellation()
            return await (try? CrashRecord.read("\(copy)/crash"))?.symbolicated()
                .withSourceLine(debugFolders: Installation.current.debugFolders)
        }
    }

    /// Copies databases, session and stack, but nothing about modules and crashes.
    private static func copyState(of data: DataFolder, to copy: String) async throws {
        let kept = (FileSystem.names(in: data.path) ?? []).filter { name in
            name.contains(".sqlite") || name.hasPrefix("session-") || name.hasPrefix("navigation-")
        }
        guard !kept.isEmpty else { return }
        let child = try ChildProcess("/bin/cp", ["--reflink=auto", "--"] + kept.map(data.path) + [copy])
        let reason = await child.wait()
        try Task.checkCancellation()
        guard reason.isSuccess else {
            throw ModuleError(
                .storeUnwritable, "The data in '\(data.path)' could not be copied to repeat the crash.",
                hint: "Free some space in the folder of temporary files.")
        }
    }
}

extension ModuleRuntime {
    fileprivate func configuration(of names: [String], _ environment: Environment) -> String {
        let entries = names.compactMap { name -> ManifestValue? in
            guard let module = module(name), let path = module.path else { return nil }
            return .object([
                .init(key: "name", value: .string(name)), .init(key: "path", value: .string(path)),
                .init(key: "configuration", value: .object(configured(module).members)),
            ])
        }
        return ManifestValue.object([
            .init(key: "environment", value: .string(environment.rawValue)),
            .init(key: "modules", value: .array(entries)),
        ]).json
    }
}

extension ModuleManager {
    /// Finds the modules that a crash depends on, by running its commands in separate hosts.
    ///
    /// - Parameter commands: The commands to run; nil for those of the last crash, on their screens.
    /// - Returns: The modules, and every try.
    /// - Throws: ``ModuleError`` if there is no crash to repeat.
    package func bisect(_ commands: String?) async throws -> BisectReport {
        guard let bisection else {
            throw ModuleError(.notAllowed, "This host can't start others to repeat a crash in.")
        }
        guard let script = commands ?? crashes.lastCommands else {
            throw ModuleError(
                .notFound, "There is no crash of a command to repeat.",
                hint: "Name the commands: module bisect 'LINE; LINE'")
        }
        let modules = runtime.modules.filter { $0.path != nil && $0.manifest != nil }.map(\.name)
        var requirements: [String: Set<String>] = [:]
        for name in modules { requirements[name] = closure(of: name) }
        return try await bisection.bisect(modules, requirements: requirements, script: script)
    }

    private func closure(of name: String, _ seen: Set<String> = []) -> Set<String> {
        guard !seen.contains(name), let manifest = runtime.module(name)?.manifest else { return seen }
        return manifest.requires.reduce(seen.union([name])) { closure(of: $1.name, $0) }
    }
}
