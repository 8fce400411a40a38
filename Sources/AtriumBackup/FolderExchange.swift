internal import AtriumLibraries
internal import AtriumStorage
internal import Glibc

/// Replaces files and folders of a data folder by prepared ones, all or none.
///
/// The new ones are prepared in `resetting/new` and the former ones go to `resetting/old`. The file `reset.json`,
/// written before the first move, lists the moves: after a kill, ``complete(in:)`` makes those that are missing;
/// after a failure, those that were made are undone. Moving needs no space, so a full disk is noticed while the
/// files are prepared.
struct FolderExchange {
    static let folderName = "resetting"
    static let fileName = "reset.json"
    let folder: String
    /// Called after each step; for tests, which look at the folder then, or throw.
    var didStep: (String) throws -> Void = { _ in }

    /// A name in the data folder, whose present file goes, and whether a new one comes.
    struct Move: Codable {
        let name: String
        let arrives: Bool
    }

    private struct Record: Codable {
        let moves: [Move]
    }

    init(in folder: String) { self.folder = folder }

    static func newFolder(in folder: String) -> String { "\(folder)/\(folderName)/new" }
    static func oldFolder(in folder: String) -> String { "\(folder)/\(folderName)/old" }
    private var record: String { "\(folder)/\(Self.fileName)" }

    /// Moves the prepared files in, and the present ones of these names and of `departing` out.
    ///
    /// - Throws: ``BackupError``, `StorageError` or `FileError`; the folder is as before.
    func perform(_ arriving: [String], departing: Set<String>, _ access: FolderAccess) throws {
        let moves = Set(arriving).union(departing).sorted().map {
            Move(name: $0, arrives: arriving.contains($0))
        }
        do {
            try StateFile(path: record, isDurable: true).save(Record(moves: moves))
            try didStep("recorded")
            for move in moves { try perform(move) }
            access.synchronize()
            try removeRecord()
        } catch {
            try undo(moves, after: error)
            throw error
        }
    }

    /// Completes the exchange of a killed process.
    ///
    /// - Returns: False if there is none.
    /// - Throws: ``BackupError`` or `StorageError`; the next call tries again.
    @discardableResult
    static func complete(in folder: String) throws -> Bool {
        let exchange = FolderExchange(in: folder)
        guard FileSystem.exists(exchange.record) else { return false }
        let access = try FolderAccess.waiting(folder)
        defer { access.end() }
        // Another process may have completed it meanwhile.
        guard let record = try StateFile(path: exchange.record, isDurable: true).peek(Record.self) else {
            return false
        }
        for move in record.moves { try exchange.perform(move) }
        access.synchronize()
        try exchange.removeRecord()
        return true
    }

    // MARK: - Moves

    private func paths(_ name: String) -> (present: String, new: String, old: String) {
        (
            "\(folder)/\(name)", "\(Self.newFolder(in: folder))/\(name)",
            "\(Self.oldFolder(in: folder))/\(name)"
        )
    }

    /// Makes a move, or what is missing of it.
    private func perform(_ move: Move) throws {
        let (present, new, old) = paths(move.name)
        let isDue = !move.arrives || FileSystem.exists(new)
        if isDue, !FileSystem.exists(old), FileSystem.exists(present) {
            try Self.move(present, to: old)
            try didStep("\(move.name) is out")
        }
        guard move.arrives, FileSystem.exists(new) else { return }
        try Self.move(new, to: present)
        try didStep("\(move.name) is in")
    }

    private func undo(_ moves: [Move], after error: any Error) throws {
        do {
            for move in moves.reversed() {
                let (present, new, old) = paths(move.name)
                if move.arrives, !FileSystem.exists(new), FileSystem.exists(present) {
                    try Self.move(present, to: new)
                }
                if FileSystem.exists(old) { try Self.move(old, to: present) }
            }
            try removeRecord()
        } catch let second {
            throw BackupError.halfReset(folder, error, second)
        }
    }

    private func removeRecord() throws(BackupError) {
        guard unlink(record) == 0 || errno == ENOENT else { throw .unwritable(record) }
    }

    private static func move(_ source: String, to target: String) throws(BackupError) {
        guard rename(source, target) == 0 else { throw .unwritable(target) }
    }
}
