@_spi(Host) package import AtriumKit
internal import AtriumLibraries
package import AtriumStorage
internal import Glibc

/// A data folder in one file, made while a host runs.
///
/// SQLite copies each database at one moment; state files are read together at one moment. Every file has a
/// digest, and so has their list: a backup with a lost or changed byte is not restored.
package enum Backup {
    package struct Report: Codable, Sendable {
        package let path: String
        package let bytes: Int
        package let files: Int
        package let databases: Int
        /// Sentences about what was left out; nil if nothing was.
        package let warnings: [String]?
    }

    /// Writes a backup of a data folder; the file appears only when it is complete.
    ///
    /// - Parameters:
    ///   - data: The folder.
    ///   - path: A file that does not exist yet.
    ///   - version: The version of the host.
    ///   - now: The time to record as its creation.
    /// - Returns: A report of its contents.
    /// - Throws: ``BackupError`` or `DatabaseError`; no file is left then.
    package static func write(
        _ data: DataFolder, to path: String, version: String, now: Timestamp
    ) throws -> Report {
        let (folder, path) = (
            FileSystem.normalized(data.path), FileSystem.normalized(FileSystem.absolute(path))
        )
        guard access(folder, R_OK | X_OK) == 0 else {
            throw errno == ENOENT ? BackupError.noFolder(folder) : .unreadable(folder)
        }
        var status = stat()
        guard lstat(path, &status) != 0 else { throw BackupError.exists(path) }
        // By real paths: through a link each backup would contain the former ones.
        let target = FileSystem.folder(of: path)
        let (real, realFolder) = (
            FileSystem.realPath(target) ?? target, FileSystem.realPath(folder) ?? folder
        )
        guard !(real + "/").hasPrefix(realFolder + "/") else { throw BackupError.inside(path, folder) }
        let unfinished = UnfinishedFile(path)
        defer { unfinished.remove() }
        try unfinished.create()
        let copying = try FolderAccess.copying(folder)
        defer { copying.end() }
        var writer = BackupWriter(
            folder: folder, archive: try FileArchive(creating: unfinished.path),
            scratch: unfinished.path + ".copy")
        try writer.addAll()
        try writer.finish(version: version, now: now)
        let size = try unfinished.finish()
        return Report(
            path: path, bytes: size, files: writer.entries.count, databases: writer.databases,
            warnings: writer.warnings.isEmpty ? nil : writer.warnings)
    }

    /// Writes a backup in a child process: if a host opened and closed the files of its own databases, their
    /// locks would be dropped.
    ///
    /// - Throws: As ``write(_:to:version:now:)``, and `CancellationError`.
    @MainActor
    package static func writeInChild(_ data: DataFolder, to path: String) async throws -> Report {
        let child = try ChildProcess(
            HostExecutable.path, ["--json", "--data", data.path, "backup", path], .output)
        var answer = ""
        if let output = child.output {
            // A long line arrives in pieces.
            for await piece in output { answer += piece }
        }
        let reason = await child.wait()
        try Task.checkCancellation()
        guard let reply = try? StateCoding.decode(Answer.self, from: answer) else {
            throw ModuleError("backupFailed", "The process that makes the backup \(reason).", hint: "events")
        }
        if let error = reply.error {
            throw BackupError(reported: error.code, error.message, hint: error.hint)
        }
        guard let report = reply.result else {
            throw ModuleError("backupFailed", "The backup has no result.")
        }
        return report
    }

    /// The line that the child process prints.
    private struct Answer: Decodable {
        let result: Report?
        let error: Failure?

        struct Failure: Decodable {
            let code: String
            let message: String
            let hint: String?
        }
    }

    static func digest(of entries: [FileArchive.Entry]) -> String {
        let lines = entries.sorted { $0.name < $1.name }.map { entry in
            "\(entry.digest) \(entry.size) \(entry.mode) \(entry.name)\n"
        }
        return ContentDigest(of: Array(lines.joined().utf8)).description
    }
}

/// A file that gets its final name when it is complete.
private struct UnfinishedFile {
    let path: String
    private let final: String

    init(_ final: String) {
        self.final = final
        path = "\(final).unfinished-\(getpid())"
    }

    func create() throws(BackupError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unwritable(final) }
        close(descriptor)
    }

    func finish() throws(BackupError) -> Int {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unwritable(final) }
        defer { close(descriptor) }
        var status = stat()
        guard fsync(descriptor) == 0, fstat(descriptor, &status) == 0 else { throw .unwritable(final) }
        guard link(path, final) == 0 || errno != EEXIST else { throw .exists(final) }
        // Fallback for a file system without hard links.
        guard access(final, F_OK) == 0 || rename(path, final) == 0 else { throw .unwritable(final) }
        return Int(status.st_size)
    }

    func remove() {
        unlink(path)
        unlink(path + ".copy")
    }
}
