@_spi(Host) package import AtriumKit
internal import AtriumLibraries
internal import AtriumModules
internal import AtriumStorage
internal import Glibc

/// A reset that the server may have committed while the files are those before it.
///
/// Written before the transaction on the server, and removed after the exchange of the files. A start that
/// finds it asks the server what became of the transaction.
struct PendingReset: Codable, Sendable {
    static let fileName = "reset-server.json"
    /// What the transaction writes into the database.
    let token: String
    /// The description of the state before.
    let former: Snapshot
}

/// Snapshots of modules' tables on a database server.
///
/// The rows are copied within the database, the files as for data in files; ``Snapshot/copy`` connects the two.
extension Snapshots {
    private var pending: StateFile { StateFile(path: data.path(PendingReset.fileName), isDurable: true) }
    /// The file with the copies that have to be deleted, unless a snapshot has them.
    nonisolated static let unfinishedName = "snapshot-server.json"
    private var unfinished: StateFile { StateFile(path: data.path(Self.unfinishedName), isDurable: true) }

    private func removeRecord(_ file: String) throws(BackupError) {
        guard unlink(data.path(file)) == 0 || errno == ENOENT else { throw .unwritable(data.path(file)) }
    }

    // MARK: - Saving

    private var unfinishedCopies: [ServerCopy] { get throws { try unfinished.peek([ServerCopy].self) ?? [] } }

    /// Has the next save delete a copy, unless a snapshot has it.
    private func remember(_ copy: ServerCopy) throws { try unfinished.save(try unfinishedCopies + [copy]) }

    private func forget(_ copy: ServerCopy) throws {
        let left = try unfinishedCopies.filter { $0 != copy }
        if left.isEmpty { try removeRecord(Self.unfinishedName) } else { try unfinished.save(left) }
    }

    /// Deletes what a killed host left in a database; copies in other databases stay remembered.
    private func deleteUnfinished(in database: DatabaseIdentity, on server: ServerCopies) async throws {
        for copy in try unfinishedCopies where copy.database == database {
            if !all.contains(where: { $0.snapshot?.copy == copy }) { try await server.delete(copy.id) }
            try forget(copy)
        }
    }

    /// Copies the rows, then the files; there is neither after a failure.
    func save(_ name: String, on server: ServerCopies) async throws -> Snapshot {
        let database = try await server.database()
        try await deleteUnfinished(in: database, on: server)
        let new = ServerCopy(in: database)
        try remember(new)
        do {
            let rows = try await server.save(new.id, of: moduleNames())
            let snapshot = try await copy(to: name, patience: patience, with: rows, as: new)
            try? forget(new)
            return snapshot
        } catch {
            try? await server.delete(new.id)
            throw error
        }
    }

    /// Deletes the rows of a snapshot whose folder is moved aside, or moves it back.
    func delete(
        _ name: String, _ copy: ServerCopy, on server: ServerCopies, movingTo aside: String
    ) async throws {
        try await requireDatabase(of: copy, name, on: server)
        try remember(copy)
        guard rename(path(name), aside) == 0 else { throw BackupError.unwritable(path(name)) }
        do { try await server.delete(copy.id) } catch {
            // Without an answer to the commit the rows may be gone; the next save deletes what is left.
            let isUnknown = (error as? DatabaseError)?.code == .databaseOutcomeUnknown
            if !isUnknown, rename(aside, path(name)) == 0 { try? forget(copy) }
            throw error
        }
        try? forget(copy)
    }

    private func requireDatabase(
        of copy: ServerCopy, _ name: String, on server: ServerCopies
    ) async throws {
        let present = try await server.database()
        guard copy.database == present else {
            throw BackupError.snapshotInDatabase(name, copy.database.name, present.name, path(name))
        }
    }

    // MARK: - Resetting

    /// Returns the rows to a snapshot, then exchanges the prepared files.
    func exchange(_ name: String, _ snapshot: Snapshot, on server: ServerCopies) async throws {
        guard let copy = snapshot.copy else { throw BackupError.snapshotElsewhere(name, isInFiles: true) }
        try await requireDatabase(of: copy, name, on: server)
        let access = try await folderAccess()
        defer { access.end() }
        let old = (try? Snapshot.read(in: path(Self.former)))?.copy
        let present = ServerCopy(in: copy.database)
        let isOldHere = old?.database == copy.database
        if let old, !isOldHere { try remember(old) }
        let reset = PendingReset(
            token: ServerCopies.newID(),
            former: description(snapshot.databases, snapshot.bytes, copy: present))
        try pending.save(reset)
        do {
            _ = try await server.reset(
                to: copy.id, of: moduleNames(), keeping: present.id,
                dropping: isOldHere ? old?.id : nil, token: reset.token
            ) { try snapshot.checkSchemas(name, $0) }
        } catch {
            let isUnknown = (error as? DatabaseError)?.code == .databaseOutcomeUnknown
            if !isUnknown { try? removeRecord(PendingReset.fileName) }
            throw error
        }
        do {
            try exchange(access, [], reset.former)
            try removeRecord(PendingReset.fileName)
        } catch { throw BackupError.filesNotReset(name, error) }
    }

    private func folderAccess() async throws -> FolderAccess {
        let end = ContinuousClock.now + patience
        while true {
            if let access = try FolderAccess.exchanging(data.path) { return access }
            guard .now < end else { throw BackupError.dataInUse }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Completes the reset of a killed host if the server has committed it, else discards it.
    ///
    /// - Returns: What was done, for the user; nil if there was nothing to do.
    package func settle() async -> (any ExplainedError)? {
        guard FileSystem.exists(data.path(PendingReset.fileName)) else { return nil }
        do {
            try await server?.prepare()
            return try await runtime.betweenChanges { [self] in
                guard let reset = try pending.peek(PendingReset.self) else { return nil }
                let database = reset.former.copy?.database
                guard let server, try await server.database() == database else {
                    return BackupError.resetElsewhere(database?.name ?? "")
                }
                let isCommitted = try await server.hasCommitted(reset.token)
                let isExchanged = Folder.names(in: FolderExchange.newFolder(in: data.path))?.isEmpty != false
                if isCommitted, !isExchanged {
                    let access = try await folderAccess()
                    defer { access.end() }
                    try exchange(access, [], reset.former)
                }
                try removeRecord(PendingReset.fileName)
                if isCommitted { didReset() }
                try Self.clean(data.path, keepingFormerIn: keepsFormer ? folder : nil)
                return isCommitted ? BackupError.resetCompleted : nil
            }
        } catch { return BackupError.resetUnsettled(error) }
    }
}

extension Snapshot {
    /// Checks that the tables on the server have the schema that the copies have.
    ///
    /// - Parameters:
    ///   - name: The name of the snapshot.
    ///   - present: The versions of the tables on the server, by module.
    /// - Throws: ``BackupError``.
    func checkSchemas(_ name: String, _ present: [String: Int]) throws(BackupError) {
        for module in Set(present.keys).union(databases.keys).sorted() {
            switch (databases[module], present[module]) {
            case (nil, _): throw .snapshotWithout(name, module)
            case (let saved?, let present) where saved != present:
                throw .serverSchema(name, module, saved, has: present)
            default: continue
            }
        }
    }
}

extension BackupError {
    static func snapshotElsewhere(_ name: String, isInFiles: Bool) -> BackupError {
        BackupError(
            "snapshotDiffers",
            isInFiles
                ? "The snapshot '\(name)' has data in files, and the data of this host are on a database "
                    + "server. Nothing was changed."
                : "The snapshot '\(name)' has data on a database server, and those of this host are in files. "
                    + "Nothing was changed.",
            hint: isInFiles
                ? "Start a host on files: leave out '--database'."
                : "Start the host with its '--database URL'.")
    }

    static func snapshotInDatabase(
        _ name: String, _ saved: String, _ present: String, _ path: String
    ) -> BackupError {
        BackupError(
            "snapshotDiffers",
            saved == present
                ? "The snapshot '\(name)' has its rows in another database '\(saved)' than the one of this host. "
                    + "Nothing was changed."
                : "The snapshot '\(name)' has its rows in database '\(saved)', and this host uses '\(present)'. "
                    + "Nothing was changed.",
            hint: "Start the host on that database. If it is gone, delete the folder: rm -r '\(path)'")
    }

    static func resetElsewhere(_ database: String) -> BackupError {
        BackupError(
            "resetIncomplete",
            "A reset to a snapshot in database '\(database)' was interrupted, and this host does not use that "
                + "database. Nothing was changed.",
            hint: "Restart the host with the '--database' of '\(database)': its start completes the reset.")
    }

    static func serverRights(_ role: String, _ owner: String, _ table: String) -> BackupError {
        BackupError(
            .databaseUnwritable,
            "A reset needs the owner of the tables: '\(table)' belongs to role '\(owner)', and this host uses "
                + "'\(role)'. Nothing was changed.",
            hint: "Start the host with the role that owns the tables, or: GRANT \"\(owner)\" TO \"\(role)\"")
    }

    static func serverTables(found count: Int, of present: Int) -> BackupError {
        BackupError(
            "snapshotDiffers",
            count == 0
                ? "The rows of this snapshot are not in this database. Nothing was changed."
                : "The snapshot has \(count) tables, which are not the \(present) that the modules have now. "
                    + "Nothing was changed.",
            hint: count == 0
                ? "Start the host on the database in which it was saved."
                : "Save a new one: snapshot save NAME")
    }

    static func serverSchema(
        _ name: String, _ module: String, _ saved: Int, has present: Int?
    ) -> BackupError {
        BackupError(
            "snapshotDiffers",
            "The snapshot '\(name)' has the tables of module '\(module)' in version \(saved), and the database "
                + (present.map { "has them in version \($0)" } ?? "has none") + ". Nothing was changed.",
            hint: "Save a new one: snapshot save NAME")
    }

    static func filesNotReset(_ name: String, _ cause: any Error) -> BackupError {
        BackupError(
            "resetIncomplete",
            "The rows in the database are those of '\(name)', and the files of this host are not yet: "
                + ModuleError.message(of: cause), hint: "Restart the host: its start completes the reset.",
            cause: cause)
    }

    static func resetUnsettled(_ cause: any Error) -> BackupError {
        BackupError(
            "resetIncomplete",
            "A reset to a snapshot was interrupted, and the database server can't say yet whether it did its "
                + "part: \(ModuleError.message(of: cause))",
            hint: "Restart the host when the server answers.", cause: cause)
    }
}
