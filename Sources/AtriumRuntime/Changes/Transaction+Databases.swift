@_spi(Host) internal import AtriumKit
internal import AtriumStorage

// The databases of the modules that a change loads.

extension Transaction {
    /// Makes the migrations of a module part of the change.
    ///
    /// At start-up only those of a new build: to open every database would make each start slower, and nothing is
    /// running yet that a late failure could harm.
    func stageDatabase(of generation: Generation, isNew: Bool) {
        guard runtime.container.environment != .mock, !isStartUp || isNew else { return }
        generation.database?.stage()
    }

    /// Runs the missing migrations of what arrives, as the last step before publication, which commits them.
    func migrate() async throws {
        for (module, generation) in all where all.contains(where: { $0.generation === generation }) {
            guard let database = generation.database else { continue }
            do {
                guard let version = try await database.prepare() else { continue }
                let copies = MigrationCopies(of: generation.name, database: database.path)
                // The migration is not committed, so the copy has what was there before.
                if let warning = await Task.detached(operation: { copies.make(version) }).value {
                    warnings.append(warning)
                }
            } catch {
                try await leaveOut(module, ModuleError.migration(module.name, error))
            }
        }
    }

    /// Puts back the copies from before migrations that the builds of a rollback can't read, if that was asked for.
    ///
    /// Comes before the activation, which may use the database.
    ///
    /// - Throws: ``ModuleError`` that says what putting it back would lose.
    func restoreData() async throws {
        for (module, generation) in loaded {
            guard let database = generation.database, database.isStaged else { continue }
            let (name, known) = (generation.name, generation.migrations.count)
            guard let found = try DatabaseCopy.version(of: database.path, owner: name), found > known else {
                continue
            }
            let copies = MigrationCopies(of: name, database: database.path)
            let copy = copies.newest(upTo: known)
            guard change.request.restoresData, let copy else {
                throw ModuleError.newerDatabase(generation, has: found, copy, copies)
            }
            do {
                try await Task.detached { try copies.restore(copy) }.value
            } catch {
                throw ModuleError.migration(module.name, error)
            }
            restored.append((copies, found))
            warnings.append(
                "Module '\(name)' has its data of \(copy.date) again; that of version \(found) is kept in "
                    + "'\(FileSystem.folder(of: copy.path))'.")
        }
    }

    func commitDatabases() throws {
        for (module, generation) in all {
            do { try generation.database?.publish() } catch {
                throw ModuleError.migration(module.name, error)
            }
        }
    }
}
