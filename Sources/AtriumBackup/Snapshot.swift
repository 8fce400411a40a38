package import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules
internal import AtriumStorage

/// The description of a snapshot, in its file `snapshot.json`.
package struct Snapshot: Codable, Sendable {
    static let fileName = "snapshot.json"
    static let dataName = "data"
    /// The version of the host that saved it.
    package let host: String
    package let created: Timestamp
    /// The modules of that host, with their versions.
    package let modules: [String: String]
    /// The schema version of each database, by module.
    package let databases: [String: Int]
    /// The size of its files.
    package let bytes: Int
    /// The copy of the tables on a database server; nil if the data are in files.
    let copy: ServerCopy?

    /// The databases that are files of it.
    var fileNames: [String] { copy == nil ? databases.keys.sorted().map { "\($0).sqlite" } : [] }

    /// Reads the description of the snapshot in a folder; nil if there is none.
    static func read(in folder: String) throws -> Snapshot? {
        try StateFile(path: "\(folder)/\(fileName)", isDurable: false).peek(Snapshot.self)
    }

    func write(to path: String, synchronizing: Bool = true) throws {
        try StateFile(path: path, isDurable: synchronizing).save(self)
    }

    // MARK: - Its files

    /// The files that a snapshot holds, as names in the data folder, and the folder of the modules' files.
    static let moduleFiles = "files"

    static func isState(_ name: String) -> Bool {
        ["session-local.json", "navigation-local.json", "module-states-local.json"].contains(name)
            || name == FixedIDs.fileName
            || name.hasPrefix("scene-local-") && name.hasSuffix(".json")
    }

    static func isDatabase(_ name: String) -> Bool { name.hasSuffix(".sqlite") }

    // MARK: - Whether it fits

    /// Checks that a host has the modules of the snapshot, in builds that read its data.
    ///
    /// - Throws: ``BackupError``.
    @MainActor
    func check(_ name: String, against runtime: ModuleRuntime, version: String, in data: String) throws {
        guard !Backup.isNewer(host, than: version) else {
            throw BackupError.snapshotNewer(name, host, than: version)
        }
        let missing = databases.keys.filter { modules[$0] != nil && runtime.module($0) == nil }.sorted()
        if let missing = missing.first { throw BackupError.snapshotModule(name, missing) }
        for module in runtime.modules {
            guard let saved = modules[module.name] else {
                guard !hasData(module.name, in: data) else {
                    throw BackupError.snapshotWithout(name, module.name)
                }
                continue
            }
            let isNewer =
                if let generation = module.current {
                    databases[module.name].map { $0 > generation.migrations.count } ?? false
                } else {
                    databases[module.name] != nil && Self.isNewer(saved, than: module)
                }
            guard !isNewer else {
                throw BackupError.snapshotSchema(name, module.name, saved, has: module.versionText)
            }
        }
    }

    @MainActor
    private static func isNewer(_ saved: String, than module: Module) -> Bool {
        guard let saved = try? SemanticVersion(parsing: saved), let present = module.manifest?.version else {
            return false
        }
        return saved > present
    }

    private func hasData(_ module: String, in data: String) -> Bool {
        copy == nil && FileSystem.exists("\(data)/\(module).sqlite")
            || Folder.names(in: "\(data)/\(Self.moduleFiles)/\(module)")?.isEmpty == false
    }
}

extension Module {
    @MainActor var versionText: String {
        (current?.version ?? manifest?.version)?.description ?? "unknown"
    }
}
