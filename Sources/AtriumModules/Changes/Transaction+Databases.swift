@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage

// The databases of the modules that a change loads.

extension Transaction {
    /// Makes the migrations of a module part of the change.
    ///
    /// At start-up only those of a new build: opening every database would slow down each start, and nothing
    /// is running yet that a late failure could harm.
    func stageDatabase(of generation: Generation, isNew: Bool) {
        guard runtime.container.environment != .mock, !isStartUp || isNew else { return }
        generation.database?.stage()
    }

    /// Runs missing migrations, as the last step before publication, which commits them.
    func migrate() async throws {
        for (module, generation) in all where all.contains(where: { $0.generation === generation }) {
            guard let database = generation.database else { continue }
            do {
                try checkCompatibility(of: generation, with: module.current)
                guard let version = try await database.prepare() else { continue }
                // A server makes its own copies.
                let copies = generation.databaseFile.map {
                    MigrationCopies(of: generation.name, database: $0)
                }
                var hasCopy = false
                if let copies {
                    // The migration is not committed, so the copy has the previous contents.
                    let warning = try await SystemThread.run { copies.make(version) }
                    tell("dataNotCopied", warning)
                    hasCopy = warning == nil
                }
                migrated.append(Migrated(generation, from: version, copies, hasCopy: hasCopy))
                // At start-up each module is independent: one that fails is left out.
                if isStartUp {
                    try database.publish()
                    tellMigrations()
                }
            } catch {
                try await leaveOut(module, ModuleError.migration(module.name, error))
            }
        }
    }

    /// Checks that other hosts can keep running the present build while this one has the new one.
    private func checkCompatibility(of generation: Generation, with present: Generation?) throws {
        guard change.request.cause == .rollout, let present else { return }
        let new = generation.migrations.dropFirst(present.migrations.count)
        guard let breaking = new.first(where: { !$0.isBackwardCompatible }) else { return }
        throw ModuleError(
            "migrationNotCompatible",
            "Migration \(breaking.version) '\(breaking.name)' of module '\(generation.name)' is not marked as "
                + "backward compatible, and a rollout has old and new builds on the same tables.",
            hint:
                "Mark it if old builds work after it: Migration(…).backwardCompatible(). Else update all hosts "
                + "at once.")
    }

    /// Restores, if requested, the copies from before migrations that the builds of a rollback can't read.
    ///
    /// Runs before the activation, which may use the database.
    ///
    /// - Throws: ``ModuleError`` that says what restoring would lose.
    func restoreData() async throws {
        for (module, generation) in loaded {
            guard let file = generation.databaseFile, generation.database?.isStaged == true else { continue }
            let (name, known) = (generation.name, generation.migrations.count)
            guard let found = try DatabaseCopy.version(of: file, owner: name), found > known else {
                continue
            }
            let copies = MigrationCopies(of: name, database: file)
            let copy = copies.newest(upTo: known)
            guard change.request.restoresData, let copy else {
                throw ModuleError.newerDatabase(generation, has: found, copy, copies)
            }
            let changed = ChangeIntent.Database(module: name, path: file, version: copy.version)
            do {
                try change.request.willCommit?(restored.map(\.changed) + [changed])
                try await SystemThread.run { try copies.restore(copy) }
            } catch {
                throw ModuleError.migration(module.name, error)
            }
            restored.append((copies, found, changed))
            tell(
                "dataRestored",
                "Module '\(name)' has its data of \(copy.date) again; that of version \(found) is kept in "
                    + "'\(FileSystem.folder(of: copy.path))'.")
        }
    }

    /// Commits the databases one at a time; if one fails, the committed ones are restored from their copies.
    ///
    /// - Throws: ``ModuleError`` of the first that fails, with what could not be restored.
    func commitDatabases() throws {
        try change.request.willCommit?(
            restored.map(\.changed) + migrated.map(\.changed))
        // Flush before the first commit: a full disk is the likeliest failure.
        try forEachDatabase { try $0.flush() }
        var committed: [any ManagedDatabase] = []
        do {
            try forEachDatabase {
                try $0.publish()
                committed.append($0)
            }
        } catch {
            let remains = migrated.filter { entry in committed.contains { $0 === entry.generation.database } }
                .compactMap { $0.putBack() }
            throw remains.isEmpty ? error : ModuleError.partlyCommitted(error, remains)
        }
        tellMigrations()
    }

    /// Reports the committed migrations, each once.
    private func tellMigrations() {
        for entry in migrated.dropFirst(toldMigrations) {
            tell("migrated", entry.sentence, .note)
            runtime.journal.record("migrated", module: entry.generation.name, entry.sentence)
        }
        toldMigrations = migrated.count
    }

    private func forEachDatabase(_ body: (any ManagedDatabase) throws -> Void) throws {
        for (module, generation) in all {
            do { if let database = generation.database { try body(database) } } catch {
                throw ModuleError.migration(module.name, error)
            }
        }
    }

    /// A database whose migrations are part of the change.
    struct Migrated {
        let generation: Generation
        private let version: Int
        private let copies: MigrationCopies?
        private let hasCopy: Bool

        init(_ generation: Generation, from version: Int, _ copies: MigrationCopies?, hasCopy: Bool) {
            self.generation = generation
            self.version = version
            self.copies = copies
            self.hasCopy = hasCopy
        }

        /// The database after the change.
        @MainActor var changed: ChangeIntent.Database {
            .init(
                module: generation.name, path: generation.databaseFile, version: generation.migrations.count)
        }

        @MainActor var sentence: String {
            let change = "from version \(version) to \(generation.migrations.count)"
            let copy = hasCopy && version > 0 ? "; a copy of version \(version) is kept" : ""
            return "The data of module '\(generation.name)' were migrated \(change)\(copy)."
        }

        /// Undoes its commit.
        ///
        /// - Returns: A sentence with the reason why it can't be undone; nil on success.
        @MainActor func putBack() -> String? {
            let reason: String
            do {
                guard hasCopy, let copies else { throw ModuleError("dataNotRestored", "there is no copy.") }
                try copies.putBack(version)
                return nil
            } catch {
                reason = ModuleError.message(of: error)
            }
            return "The data of module '\(generation.name)' stay migrated to version "
                + "\(generation.migrations.count), as version \(version) can't be put back: \(reason)"
        }
    }
}
