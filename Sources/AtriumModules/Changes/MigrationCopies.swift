internal import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage
internal import Glibc

/// Copies of a module's database from before its migrations, which `module rollback` can put back.
struct MigrationCopies {
    private let module: String
    private let database: String
    /// The largest database that is copied: 1 GB.
    private static let limit = 1 << 30

    init(of module: String, database: String) {
        (self.module, self.database) = (module, database)
    }

    struct Copy {
        let path: String
        let version: Int
        /// When it was made.
        let date: String
    }

    private func path(_ version: Int) -> String {
        "\(FileSystem.folder(of: database))/copies/\(module)-\(version).sqlite"
    }

    /// Copies the committed contents of the database, replacing an earlier copy of that version.
    ///
    /// - Returns: A sentence with the reason why there is no copy; nil if there is one.
    func make(_ version: Int) -> String? {
        let size = [database, database + "-wal"].reduce(0) {
            $0.addingClamped(FileStatus(of: $1)?.size ?? 0)
        }
        let free = FileSystem.freeSpace(in: FileSystem.folder(of: database))
        guard size <= Self.limit else { return without("it is larger than 1 GB") }
        guard free > 3 * size else { return without("the disk has too little space") }
        let path = path(version)
        do {
            // Also removes unfinished copies of killed hosts.
            let scratch = try ScratchFolder(in: Folder.make(FileSystem.folder(of: path)))
            let copy = scratch.path("\(module)-\(version).sqlite")
            try DatabaseCopy.whole(database, to: copy, owner: module)
            return rename(copy, path) == 0 ? nil : without(SystemError.current.reason)
        } catch {
            return without(ModuleError.message(of: error))
        }
    }

    private func without(_ reason: String) -> String {
        "No copy of the database of module '\(module)' was kept: "
            + (reason.hasSuffix(".") ? reason : reason + ".")
    }

    /// The newest copy with at most this version.
    func newest(upTo version: Int) -> Copy? {
        for version in stride(from: version, through: 0, by: -1) {
            var status = stat()
            guard stat(path(version), &status) == 0 else { continue }
            let time = Timestamp(microseconds: 0).adding(seconds: status.st_mtim.tv_sec)
            return Copy(path: path(version), version: version, date: "\(time)")
        }
        return nil
    }

    /// The loss from restoring a copy, as the end of a sentence.
    func loss(_ copy: Copy) -> String {
        guard let now = try? DatabaseCopy.rowCounts(of: database, owner: module),
            let then = try? DatabaseCopy.rowCounts(of: copy.path, owner: module)
        else { return "all changes since then" }
        let former = Dictionary(then.map { ($0.table, $0.rows) }) { first, _ in first }
        let changed = now.filter { former[$0.table] != $0.rows }.map { table, rows in
            former[table].map { "\(table) had \($0) of its \(rows) rows" }
                ?? "there was no table \(table) (\(rows) rows)"
        }
        return "all changes since then" + (changed.isEmpty ? "" : "; " + changed.joined(separator: ", "))
    }

    /// Restores a copy; the present contents are copied first, so they can be restored too.
    func restore(_ copy: Copy) throws {
        let present = try DatabaseCopy.version(of: database, owner: module) ?? 0
        if let problem = make(present) { throw ModuleError("dataNotRestored", problem) }
        try DatabaseCopy.restore(copy.path, to: database, owner: module)
    }

    /// Restores the database from the copy of a version; the copy stays.
    func putBack(_ version: Int) throws {
        try DatabaseCopy.restore(path(version), to: database, owner: module)
    }
}
