@_spi(Host) package import AtriumKit
internal import AtriumLibraries
package import AtriumModules
package import AtriumStorage
internal import Glibc

/// Named copies of the state of environment local, to which a running host goes back.
///
/// A snapshot is a folder in `snapshots` of the data folder: all databases as they are at one moment, the files of
/// modules, the session, the stacks and the state of modules. Which modules there are, and their configuration,
/// are not part of it. A sandbox shares those of its original.
@MainActor
package final class Snapshots {
    nonisolated static let folderName = "snapshots"
    /// The snapshot that a reset makes of the state before it.
    package nonisolated static let former = "before-reset"
    let data: DataFolder
    let folder: String
    let keepsFormer: Bool
    let runtime: ModuleRuntime
    private let version: String
    private let clock: any WallClock
    /// The databases of all generations that are in memory.
    package var databases: () -> [SQLiteDatabase] = { [] }
    /// The copies of the tables on a database server, which has the data; nil if they are in files.
    package var server: ServerCopies?
    /// Makes the tables that modules have not used yet.
    package var makeTables: () async -> Void = {}
    /// Saves the session, the stacks and the state of modules into their files.
    package var willCopy: () throws -> Void = {}
    /// Takes over the files after a reset, in the same turn of the main actor.
    package var didReset: () -> Void = {}
    /// The modules whose tables on a database server belong to snapshots.
    lazy var moduleNames: () -> [String] = { [runtime] in
        runtime.modules.filter { $0.manifest != nil }.map(\.name)
    }
    /// Called after each step of a reset, for tests.
    var didStep: (String) throws -> Void = { _ in }
    /// The time to wait for commands and for closures on databases.
    var patience = Duration.seconds(5)
    /// True if a copy waits until it is on the disk.
    var synchronizes = true

    /// Describes the snapshots of a data folder; `original` is the folder of which it is a sandbox.
    package init(
        of data: DataFolder, original: DataFolder? = nil, _ runtime: ModuleRuntime, version: String,
        clock: any WallClock
    ) {
        self.data = data
        folder = (original ?? data).path(Self.folderName)
        keepsFormer = original == nil
        (self.runtime, self.version, self.clock) = (runtime, version, clock)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// The snapshots by name; nil for one whose description can't be read.
    package var all: [(name: String, snapshot: Snapshot?)] {
        let names = (Folder.names(in: folder) ?? []).filter {
            FileSystem.exists("\(path($0))/\(Snapshot.dataName)")
        }
        return names.map { ($0, try? Snapshot.read(in: path($0))) }
    }

    package var names: [String] { all.map(\.name) }

    private func snapshot(_ name: String) throws -> Snapshot {
        guard FileSystem.exists(path(name)) else {
            throw BackupError.noSnapshot(name, nearest: NearestName.of(name, among: names))
        }
        let found: Snapshot?
        do { found = try Snapshot.read(in: path(name)) } catch {
            throw BackupError.snapshotDamaged(name, "its description can't be read", error)
        }
        guard let found else { throw BackupError.snapshotDamaged(name, "it has no description") }
        guard (found.copy == nil) == (server == nil) else {
            throw BackupError.snapshotElsewhere(name, isInFiles: found.copy == nil)
        }
        // A reset would remove the data for which it has none.
        let files = [""] + found.fileNames.map { "/\($0)" }
        let missing = files.first { !FileSystem.exists("\(path(name))/\(Snapshot.dataName)\($0)") }
        if let missing {
            throw BackupError.snapshotDamaged(name, "it has no '\(Snapshot.dataName)\(missing)'")
        }
        return found
    }

    // MARK: - Saving

    /// Saves the present state under a name.
    ///
    /// - Throws: ``BackupError`` and others; there is no snapshot of that name then.
    package func save(_ name: String) async throws -> Snapshot {
        guard !FileSystem.exists(path(name)), name != Self.former else {
            throw BackupError.snapshotExists(name)
        }
        try await prepareServer()
        return try await runtime.betweenChanges { [self] in
            try checkReset()
            try await waitForCommands()
            if let server { return try await save(name, on: server) }
            return try await copy(to: name, patience: patience)
        }
    }

    /// Loads the engine of a database server, and makes the tables of all modules.
    private func prepareServer() async throws {
        guard let server else { return }
        try await server.prepare()
        await makeTables()
    }

    /// Copies the state, also while commands run; what they have not committed is not part of it.
    ///
    /// - Parameters:
    ///   - name: The name of the copy.
    ///   - patience: The time to wait for closures on databases.
    ///   - rows: The copied tables on a database server.
    ///   - serverCopy: Their copy.
    /// - Returns: The description of the copy.
    /// - Throws: ``BackupError`` and others; there is no copy then.
    func copy(
        to name: String, patience: Duration, with rows: ServerCopies.Saved? = nil,
        as serverCopy: ServerCopy? = nil
    ) async throws -> Snapshot {
        let scratch = try ScratchFolder(in: Folder.make(folder))
        let copy = try Folder.make(scratch.path(Snapshot.dataName))
        let moments = try await whileUnused(closes: false, patience) { [self] in
            try willCopy()
            return try openDatabases()
        }
        let (folder, state, synchronizing) = (data.path, present(Snapshot.isState), synchronizes)
        let bytes = try await SystemThread.run {
            var bytes = 0
            for name in state {
                bytes += try FileCopy.make(
                    "\(folder)/\(name)", "\(copy)/\(name)", synchronizing: synchronizing)
            }
            for (name, moment) in moments {
                try moment.copy(to: "\(copy)/\(name)", synchronizing: synchronizing)
                bytes += FileStatus(of: "\(copy)/\(name)")?.size ?? 0
            }
            let files = Snapshot.moduleFiles
            return try bytes
                + FileCopy.makeAll(
                    in: "\(folder)/\(files)", "\(copy)/\(files)", isInUse: true,
                    synchronizing: synchronizing)
        }
        let schemas = moments.map { (DataFolderFiles.owner(of: $0.name), $0.moment.version) }
        let versions = rows?.versions ?? Dictionary(schemas) { first, _ in first }
        let snapshot = description(versions, bytes + (rows?.byteCount ?? 0), copy: serverCopy)
        try snapshot.write(to: scratch.path(Snapshot.fileName), synchronizing: synchronizing)
        try give(name, to: scratch)
        return snapshot
    }

    /// Looks at the present state, after saving the session, the stacks and the state of modules.
    ///
    /// - Throws: ``BackupError`` if it is larger than a copy before each change may be, or has too many files.
    func mark() async throws -> StateMark {
        try willCopy()
        let (folder, commits) = (data.path, commitCount)
        return try await SystemThread.run { try StateMark(of: folder, commits: commits) }
    }

    /// True if the state has changed since a mark, or may have.
    func hasChanged(since mark: StateMark?) async -> Bool {
        guard let mark, mark.commits == commitCount, let present = try? await self.mark() else { return true }
        return present != mark
    }

    private var commitCount: Int { databases().reduce(0) { $0 + $1.commitCount } }

    /// Removes a copy that no user named.
    func remove(_ name: String) { FileSystem.remove(path(name)) }

    /// Moves a finished snapshot to its place.
    private func give(_ name: String, to scratch: borrowing ScratchFolder) throws {
        guard mkdir(path(name), 0o700) == 0 else {
            throw errno == EEXIST ? BackupError.snapshotExists(name) : .unwritable(path(name))
        }
        // The description last: a folder without data is no snapshot, and one without description can't be used.
        for file in [Snapshot.dataName, Snapshot.fileName] {
            guard rename(scratch.path(file), "\(path(name))/\(file)") == 0 else {
                let error = BackupError.unwritable(path(name))
                FileSystem.remove(path(name))
                throw error
            }
        }
    }

    private func present(_ isWanted: (String) -> Bool) -> [String] {
        (Folder.names(in: data.path) ?? []).filter(isWanted)
    }

    /// The databases in files; those of a host on a server are not its data.
    private var presentDatabases: [String] { server == nil ? present(Snapshot.isDatabase) : [] }

    private func openDatabases() throws -> [(name: String, moment: DatabaseMoment)] {
        try presentDatabases.map {
            ($0, try DatabaseMoment(of: data.path($0), owner: DataFolderFiles.owner(of: $0)))
        }
    }

    func description(_ databases: [String: Int], _ bytes: Int, copy: ServerCopy? = nil) -> Snapshot {
        let modules = runtime.modules.filter { $0.manifest != nil }.map { ($0.name, $0.versionText) }
        return Snapshot(
            host: version, created: clock.now(), modules: Dictionary(modules) { first, _ in first },
            databases: databases, bytes: bytes, copy: copy)
    }

    /// Deletes a snapshot; not from a sandbox, whose original may be going back to it.
    package func delete(_ name: String) async throws {
        guard keepsFormer else { throw BackupError.snapshotOfOriginal }
        try await server?.prepare()
        try await runtime.betweenChanges { [self] in
            guard FileSystem.exists(path(name)) else {
                throw BackupError.noSnapshot(name, nearest: NearestName.of(name, among: names))
            }
            let scratch = try ScratchFolder(in: folder)
            if let copy = (try? Snapshot.read(in: path(name)))?.copy {
                guard let server else { throw BackupError.snapshotElsewhere(name, isInFiles: false) }
                return try await delete(name, copy, on: server, movingTo: scratch.path(name))
            }
            guard rename(path(name), scratch.path(name)) == 0 else {
                throw BackupError.unwritable(path(name))
            }
        }
    }

    // MARK: - Resetting

    /// Puts the state of a snapshot back, all of it or nothing; the state before is kept as ``former``.
    ///
    /// - Throws: ``BackupError`` and others; nothing has changed then.
    package func reset(_ name: String) async throws -> Snapshot {
        try await prepareServer()
        return try await runtime.betweenChanges { [self] in
            try checkReset()
            let snapshot = try snapshot(name)
            try snapshot.check(name, against: runtime, version: version, in: data.path)
            try await waitForCommands()
            defer { runtime.work.isPaused = false }
            do {
                try await prepare(name, snapshot)
                if let server {
                    // The files are exchanged after the rows; a command in between would see half of each.
                    try await waitForCommands(pausing: true)
                    try await exchange(name, snapshot, on: server)
                } else {
                    try await whileUnused(closes: true, patience) { [self] in
                        try runtime.work.isIdle && exchange() ? () : nil
                    }
                }
            } catch {
                // An exchange that could not be undone needs its files.
                if !isResetPending { FileSystem.remove(data.path(FolderExchange.folderName)) }
                throw error
            }
            didReset()
            let (data, store) = (data.path, keepsFormer ? folder : nil)
            // The next reset, or the next start, does what fails here.
            try? await SystemThread.run { try Self.clean(data, keepingFormerIn: store) }
            return snapshot
        }
    }

    /// - Throws: ``BackupError`` after a reset that could neither be completed nor undone, whose files are needed.
    private func checkReset() throws(BackupError) {
        guard !isResetPending else { throw .resetPending }
    }

    private var isResetPending: Bool {
        [FolderExchange.fileName, PendingReset.fileName].contains { FileSystem.exists(data.path($0)) }
    }

    /// Copies the files of a snapshot beside the present ones.
    private func prepare(_ name: String, _ snapshot: Snapshot) async throws {
        try Self.clean(data.path, keepingFormerIn: keepsFormer ? folder : nil)
        let (source, files) = ("\(path(name))/\(Snapshot.dataName)", Snapshot.moduleFiles)
        let new = try Folder.make(FolderExchange.newFolder(in: data.path))
        let folders = Folder.names(in: data.path(files)) ?? []
        try await SystemThread.run {
            _ = try FileCopy.makeAll(in: source, new, isInUse: false, synchronizing: true)
            // A reset would remove data that is missing here.
            for file in snapshot.fileNames where !FileSystem.exists("\(new)/\(file)") {
                throw BackupError.snapshotDamaged(name, "it lost '\(file)'")
            }
            // Modules know the paths of their folders.
            for name in [""] + folders { _ = try Folder.make("\(new)/\(files)/\(name)") }
        }
        _ = try Folder.make(FolderExchange.oldFolder(in: data.path))
    }

    /// Exchanges the files while all databases are closed.
    ///
    /// - Returns: False if a database, or the folder, is in use.
    private func exchange() throws -> Bool {
        guard let access = try FolderAccess.exchanging(data.path) else { return false }
        defer { access.end() }
        let databases = presentDatabases
        var schemas: [String: Int] = [:]
        for name in databases {
            let (path, owner) = (data.path(name), DataFolderFiles.owner(of: name))
            guard try DatabaseCopy.isAlone(path, owner: owner) else { return false }
            schemas[owner] = try? DatabaseCopy.version(of: path, owner: owner)
        }
        let bytes = databases.reduce(0) { $0 + (FileStatus(of: data.path($1))?.size ?? 0) }
        try exchange(access, databases, description(schemas, bytes))
        return true
    }

    /// Exchanges the state files, the modules' files and some databases for the prepared ones.
    func exchange(_ access: FolderAccess, _ databases: [String], _ former: Snapshot) throws {
        try willCopy()
        try former.write(to: Self.formerDescription(in: data.path))
        let beside = databases.flatMap { name in DataFolderFiles.besideDatabases.map { name + $0 } }
        let departing = present(Snapshot.isState) + databases + beside + [Snapshot.moduleFiles]
        var exchange = FolderExchange(in: data.path)
        exchange.didStep = didStep
        try exchange.perform(
            Folder.names(in: FolderExchange.newFolder(in: data.path)) ?? [], departing: Set(departing), access
        )
    }

    // MARK: - After a reset

    private nonisolated static func formerDescription(in data: String) -> String {
        "\(data)/\(FolderExchange.folderName)/\(Snapshot.fileName)"
    }

    /// Completes the reset of a killed host, before anything in its folder is used.
    ///
    /// - Returns: What was done, for the user; nil if there is nothing to complete.
    package nonisolated static func complete(in data: DataFolder) throws -> (any ExplainedError)? {
        let isCompleted = try FolderExchange.complete(in: data.path)
        let pending = data.path(PendingReset.fileName)
        if FileSystem.exists(pending) {
            // Without an exchange that began, the server has to be asked first: ``settle()``.
            guard isCompleted else { return nil }
            guard unlink(pending) == 0 else { throw BackupError.unwritable(pending) }
        }
        try clean(data.path, keepingFormerIn: data.path(folderName))
        return isCompleted ? BackupError.resetCompleted : nil
    }

    /// Makes a snapshot of the state before a reset, and removes what the reset no longer needs.
    ///
    /// - Throws: ``BackupError`` or `FileError`; everything is still there then.
    nonisolated static func clean(_ data: String, keepingFormerIn folder: String?) throws {
        let resetting = "\(data)/\(FolderExchange.folderName)"
        guard FileSystem.exists(resetting) else { return }
        let (made, description) = ("\(resetting)/\(former)", formerDescription(in: data))
        // New files that are still there were not exchanged.
        let isDone = Folder.names(in: FolderExchange.newFolder(in: data))?.isEmpty == true
        if let folder, isDone {
            if FileSystem.exists(description) {
                _ = try Folder.make(made)
                try move(FolderExchange.oldFolder(in: data), to: "\(made)/\(Snapshot.dataName)")
                try move(description, to: "\(made)/\(Snapshot.fileName)")
            }
            if FileSystem.exists("\(made)/\(Snapshot.fileName)") {
                _ = try Folder.make(folder)
                FileSystem.remove("\(folder)/\(former)")
                try move(made, to: "\(folder)/\(former)")
            }
        }
        FileSystem.remove(resetting)
    }

    /// Moves what an earlier attempt has not moved yet.
    private nonisolated static func move(_ source: String, to target: String) throws(BackupError) {
        guard rename(source, target) == 0 || errno == ENOENT else { throw .unwritable(target) }
    }

    // MARK: - Waiting

    /// Waits until no action of a screen runs.
    ///
    /// - Parameter pausing: True to refuse new ones from then on.
    /// - Throws: ``BackupError`` after ``patience``.
    private func waitForCommands(pausing: Bool = false) async throws {
        try Task.checkCancellation()
        let end = ContinuousClock.now + patience
        while !runtime.work.isIdle {
            guard .now < end else { throw BackupError.commandRuns }
            try await Task.sleep(for: .milliseconds(5))
        }
        if pausing { runtime.work.isPaused = true }
    }

    /// Runs `body`, again as long as it returns nil, while nothing uses a database.
    ///
    /// - Throws: ``BackupError`` after `patience`.
    private func whileUnused<Value>(
        closes: Bool, _ patience: Duration, _ body: @MainActor () throws -> Value?
    ) async throws -> Value {
        let end = ContinuousClock.now + patience
        while true {
            let value = try SQLiteDatabase.whileUnused(databases()[...], closes: closes, body)
            if let value = value ?? nil { return value }
            guard .now < end else { throw BackupError.dataInUse }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
