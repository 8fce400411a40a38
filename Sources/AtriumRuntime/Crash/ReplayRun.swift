@_spi(Host) package import AtriumKit
internal import AtriumManifest
package import AtriumStorage
internal import Glibc

extension Replay {
    /// Runs the commands in child processes of the same executable, each with a copy of the data.
    ///
    /// - Parameters:
    ///   - executable: The host.
    ///   - data: The data folder; only copied from.
    ///   - environment: Which implementation of every service is built.
    ///   - runtime: Knows where the libraries of the modules lie.
    ///   - limit: How long the commands may take.
    package init(
        executable: String, data: DataFolder, environment: Environment, runtime: ModuleRuntime,
        limit: Duration = .seconds(30)
    ) {
        self.init { [unowned runtime] modules, script in
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let copy = folder.path("data")
            try FileSystem.makeFolder(copy)
            try await Self.copyState(of: data, to: copy)
            try AtomicFile.write(
                Array(runtime.configuration(of: modules, environment).utf8), to: folder.path("modules.json"),
                synchronizing: false)
            let program = Program(
                executable,
                [
                    "--no-preflight", "--no-supervisor", "--data", copy, "--config",
                    folder.path("modules.json"), "--keep-going", "-c", script,
                ])
            let child = try await ChildProcess.start(program)
            child.end(after: limit, grace: .zero)
            _ = await child.wait()
            try Task.checkCancellation()
            return CrashRecord.take(from: "\(copy)/crash")?.symbolicated()
        }
    }

    /// Copies databases, session and place; what is about modules and crashes stays.
    private static func copyState(of data: DataFolder, to copy: String) async throws {
        let kept = FileSystem.names(in: data.path).filter { name in
            name.contains(".sqlite") || name.hasPrefix("session-") || name.hasPrefix("navigation-")
        }
        guard !kept.isEmpty else { return }
        let program = Program("/bin/cp", ["--reflink=auto", "--"] + kept.map(data.path) + [copy])
        let reason = await (try ChildProcess.start(program)).wait()
        try Task.checkCancellation()
        guard reason.isSuccess else { throw ModuleError.notCopied(data.path) }
    }
}

extension ModuleRuntime {
    /// A modules.json with some of the modules.
    fileprivate func configuration(of names: [String], _ environment: Environment) -> String {
        let entries = names.compactMap { name -> ManifestValue? in
            guard let module = module(name), let path = module.path else { return nil }
            return .object([
                .init(key: "name", value: .string(name)), .init(key: "path", value: .string(path)),
                .init(key: "configuration", value: .object(module.configured.configuration)),
            ])
        }
        return ManifestValue.object([
            .init(key: "environment", value: .string(environment.rawValue)),
            .init(key: "modules", value: .array(entries)),
        ]).json
    }
}

extension FileSystem {
    /// The names in a folder; none where it can't be read.
    static func names(in folder: String) -> [String] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }
}

extension ModuleError {
    static func notCopied(_ folder: String) -> ModuleError {
        ModuleError(
            .storeUnwritable, "The data in '\(folder)' could not be copied for the replay.",
            hint: "Free some space where temporary files go.")
    }
}
