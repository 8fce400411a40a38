internal import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage

/// A module change that modifies databases, recorded before the first of them is modified.
///
/// The databases and the list of installed modules are separate files, and a process may be killed between
/// writing them. The next start checks the databases' versions to see whether the change took place. A server
/// can't be asked before its module is loaded; the change is completed then, as the new build runs its
/// missing migrations.
struct ChangeIntent: Codable {
    /// The list to save once the change has taken place.
    let installed: InstalledModules
    let configuration: ConfigurationChanges
    let databases: [Database]

    /// A database with its version after the change.
    struct Database: Codable, Hashable {
        let module: String
        /// Its name relative to the data folder, which may have been moved since; nil if a server has it.
        let file: String?
        let version: Int

        init(module: String, path: String?, version: Int) {
            (self.module, self.version) = (module, version)
            file = path?.split(separator: "/").last.map(String.init)
        }
    }
}

/// Stores the intent of the change in progress.
@MainActor
package final class ChangeIntents {
    private let folder: String
    private let file: StateFile
    /// True if a completed change is recorded only here, because its own files could not be written.
    private(set) var isPending = false

    /// Stores it in the file `change.json` of a data folder.
    package init(in folder: String) {
        self.folder = folder
        file = StateFile(path: "\(folder)/change.json", isDurable: true)
    }

    /// Returns the change that the previous process was making when it ended, if it took place, wholly or in
    /// part, or may have; the start completes it.
    ///
    /// - Throws: `StorageError` or a database's error if that can't be determined; nothing has changed.
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

    /// Records a change before its first commit.
    func begin(_ intent: ChangeIntent) throws {
        try file.save(intent)
        isPending = true
    }

    /// Removes the record of a change that has been saved elsewhere or undone.
    func end() throws {
        guard isPending else { return }
        try file.remove()
        isPending = false
    }
}
