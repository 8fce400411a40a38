internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
package import AtriumStorage
internal import Glibc

extension Backup {
    package struct RestoreReport: Sendable {
        package let folder: String
        package let files: Int
        package let created: String
        /// The folder that now holds the previous data; nil if there was none.
        package let former: String?
    }

    /// Replaces a data folder by a backup, which is checked completely first; the former folder is kept.
    ///
    /// Everything is written into a folder beside the final one, then exchanged with it in one step.
    ///
    /// - Parameters:
    ///   - path: The backup.
    ///   - data: The folder, which need not exist.
    ///   - version: The version of this host.
    /// - Returns: A report of what was restored.
    /// - Throws: ``BackupError`` or `DatabaseError`; the folder is unchanged then.
    package static func restore(
        _ path: String, to data: DataFolder, version: String
    ) throws -> RestoreReport {
        let (archive, entries) = try open(path, version: version)
        let folder = try target(of: data)
        let lock = try checkUnused(folder)
        defer { if lock >= 0 { close(lock) } }
        let next = folder + ".restoring"
        let guardian = try makeFolder(next)
        defer { close(guardian) }
        do {
            for entry in entries { try extract(entry, of: archive, path, to: next) }
            let former = try exchange(next, folder)
            return RestoreReport(
                folder: folder, files: entries.count, created: try archive.about("created") ?? "",
                former: former)
        } catch {
            FileSystem.remove(next)
            throw error
        }
    }

    // MARK: - Checking the backup

    private static func open(
        _ path: String, version: String
    ) throws -> (archive: FileArchive, entries: [FileArchive.Entry]) {
        guard access(path, R_OK) == 0 else { throw BackupError.unreadable(path) }
        // Check the format first: SQLite would write files beside a database that it opens.
        guard let format = FileArchive.format(of: path) else { throw BackupError.notABackup(path) }
        guard format <= FileArchive.currentFormat else {
            throw BackupError.newer(path, "format \(format)", than: "format \(FileArchive.currentFormat)")
        }
        let archive: FileArchive
        do {
            archive = try FileArchive(reading: path)
            let maker = try archive.about("host")
            guard !isNewer(maker, than: version) else {
                throw BackupError.newer(path, "Atrium \(maker ?? "")", than: version)
            }
        } catch let error as DatabaseError {
            throw BackupError.damaged(path, "it can't be read", error)
        }
        do {
            guard try archive.isSound else { throw BackupError.damaged(path, "its pages don't fit together") }
            let entries = try archive.entries
            guard try archive.about("digest") == digest(of: entries) else {
                throw BackupError.damaged(path, "its list of files was changed")
            }
            for entry in entries where !isInside(entry.name) {
                throw BackupError.damaged(path, "it names a file outside of the folder")
            }
            return (archive, entries)
        } catch let error as DatabaseError {
            throw BackupError.damaged(path, "it can't be read", error)
        }
    }

    static func isNewer(_ maker: String?, than version: String) -> Bool {
        guard let maker, let made = try? SemanticVersion(parsing: maker),
            let present = try? SemanticVersion(parsing: version)
        else { return false }
        return made > present
    }

    /// True if a name leads to a file inside the folder.
    private static func isInside(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return !name.utf8.contains(0) && parts.allSatisfy { !["", ".", ".."].contains($0) }
    }

    // MARK: - The folder

    /// The folder to replace, with symbolic links resolved.
    private static func target(of data: DataFolder) throws -> String {
        let folder = FileSystem.normalized(data.path)
        guard access(folder, F_OK) == 0 else {
            _ = try Folder.make(FileSystem.folder(of: folder))
            return folder
        }
        guard let target = FileSystem.realPath(folder), let names = Folder.names(in: target) else {
            throw BackupError.unreadable(folder)
        }
        guard names.isEmpty || access("\(target)/\(DataFolder.markerName)", F_OK) == 0 else {
            throw BackupError.notADataFolder(target)
        }
        return target
    }

    /// Takes the lock that a running host has on its folder.
    ///
    /// - Returns: The descriptor that holds it; below 0 if no host has used the folder.
    private static func checkUnused(_ folder: String) throws -> CInt {
        let lock = Glibc.open("\(folder)/host.lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard lock >= 0 else { return -1 }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw BackupError.inUse(folder)
        }
        return lock
    }

    /// Makes the folder to write into and removes what a killed process left there.
    ///
    /// - Returns: A descriptor whose lock keeps out other restoring processes.
    private static func makeFolder(_ path: String) throws -> CInt {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw BackupError.unwritable(path) }
        let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard folder >= 0 else { throw BackupError.unwritable(path) }
        guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
            close(folder)
            throw BackupError.inUse(path)
        }
        FileSystem.remove(path)
        guard mkdir(path, 0o700) == 0 else {
            close(folder)
            throw BackupError.unwritable(path)
        }
        return folder
    }

    /// Exchanges the new folder with the former one, in one step.
    ///
    /// - Returns: The former folder's new path; nil if there was none.
    private static func exchange(_ next: String, _ folder: String) throws -> String? {
        sync()
        if rename(next, folder) == 0 { return nil }
        guard [ENOTEMPTY, EEXIST].contains(errno) else { throw BackupError.notReplaced(folder) }
        var number = 1
        while access("\(folder).before-restore-\(number)", F_OK) == 0 { number += 1 }
        let former = "\(folder).before-restore-\(number)"
        // Rename to the former folder's new name first: under `next`, the next restore would delete its data.
        guard rename(next, former) == 0 else { throw BackupError.notReplaced(folder) }
        guard renameAt2?(AT_FDCWD, former, AT_FDCWD, folder, exchanging) == 0 else {
            FileSystem.remove(former)
            throw BackupError.notReplaced(folder)
        }
        return former
    }

    private typealias RenameAt2 =
        @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt

    /// Swift does not import it (glibc 2.28).
    private static let renameAt2 = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: RenameAt2.self) }
    /// `RENAME_EXCHANGE` of rename(2).
    private static let exchanging: CUnsignedInt = 2

    // MARK: - Files

    private static func extract(
        _ entry: FileArchive.Entry, of archive: FileArchive, _ path: String, to folder: String
    ) throws {
        let file = "\(folder)/\(entry.name)"
        if let slash = file.lastIndex(of: "/") { _ = try Folder.make(String(file[..<slash])) }
        let descriptor = Glibc.open(
            file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, entry.mode & 0o700)
        guard descriptor >= 0 else { throw BackupError.unwritable(file) }
        defer { close(descriptor) }
        let hasher = ContentHasher()
        var size = 0
        let result = Result {
            try archive.read(entry.name) { part in
                hasher.add(part)
                size += part.count
                do { try FileContents.write(part, to: descriptor) } catch let error as SystemError {
                    throw BackupError.unwritable(file, error.number)
                }
            }
        }
        let digest = hasher.finish()
        do { try result.get() } catch let error as DatabaseError {
            throw BackupError.damaged(path, "'\(entry.name)' can't be read", error)
        }
        guard size == entry.size, digest == entry.digest else {
            throw BackupError.damaged(path, "'\(entry.name)' has another digest")
        }
    }
}
