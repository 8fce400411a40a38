internal import AtriumKit
package import AtriumStorage

/// A change of the modules that changes databases, as it is noted before the first of them.
///
/// The databases and the list of installed modules are different files, and a process may be killed between them.
/// The next start finds out from the databases' versions whether the change took place. A server can't be asked
/// before its module is there: the change is completed then, as the new build runs what is missing of its migrations.
struct ChangeIntent: Codable {
    /// What is kept once it has taken place.
    let installed: InstalledModules
    let configuration: ConfigurationChanges
    let databases: [Database]

    /// A database with its version afterwards.
    struct Database: Codable, Hashable {
        let module: String
        /// Its name in the data folder, which may have been moved since; nil if a server has it.
        let file: String?
        let version: Int

        init(module: String, path: String?, version: Int) {
            (self.module, self.version) = (module, version)
            file = path?.split(separator: "/").last.map(String.init)
        }
    }
}

/// Keeps the intent of the change that is under way.
@MainActor
package final class ChangeIntents {
    private let folder: String
    private let file: StateFile
    /// Whether a change that took place is kept only here, as the files that it belongs to could not be written.
    private(set) var isPending = false

    /// Keeps it in the file `change.json` of a data folder.
    package init(in folder: String) {
        self.folder = folder
        file = StateFile(path: "\(folder)/change.json", isDurable: true)
    }

    /// The change that was under way when the process before this one ended, if it took place, in part or as a whole,
    /// or may have; what is left of it is for the start to do.
    ///
    /// - Throws: `StorageError` or a database's error if that can't be found out; nothing has changed.
    func interrupted(report: (any ExplainedError) -> Void) throws -> ChangeIntent? {
        guard let intent = try file.load(ChangeIntent.self, report: report) else { return nil }
        let tookPlace = try intent.databases.contains { database in
            guard let file = database.file else { return true }
            return try DatabaseCopy.version(of: "\(folder)/\(file)", owner: database.module)
                == database.version
        }
        isPending = tookPlace
        if !tookPlace { try file.remove() }
        return tookPlace ? intent : nil
    }

    /// Notes a change before its first commit.
    func begin(_ intent: ChangeIntent) throws {
        try file.save(intent)
        isPending = true
    }

    /// Forgets a change that is kept otherwise, or was undone.
    func end() throws {
        guard isPending else { return }
        try file.remove()
        isPending = false
    }
}
