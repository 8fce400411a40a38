internal import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage
internal import Glibc

/// Adds the files of a data folder to an archive, while other processes write to the folder.
struct BackupWriter {
    let folder: String
    let archive: FileArchive
    /// The path that databases are copied to first.
    let scratch: String
    private(set) var entries: [FileArchive.Entry] = []
    private(set) var databases = 0
    private(set) var warnings: [String] = []

    init(folder: String, archive: FileArchive, scratch: String) {
        (self.folder, self.archive, self.scratch) = (folder, archive, scratch)
    }

    /// Files of a running host: its lock, its socket and its current activity.
    private static let ofRunningHost = ["host.lock", "host.sock", "running"]
    /// The suffixes of SQLite's files beside a database; the copy of the database contains their contents.
    private static let besideDatabases = ["-wal", "-shm", "-journal"]
    /// The number of attempts to read the state files without a change in between.
    private static let attempts = 20

    mutating func addAll() throws {
        let names = try names(in: "")
        let state = names.filter { !$0.contains("/") && $0.hasSuffix(".json") }
        try addTogether(state)
        for name in names where !state.contains(name) {
            if try isDatabase(name) { try addDatabase(name) } else { try add(name) }
        }
    }

    func finish(version: String, now: Timestamp) throws {
        for entry in entries { try archive.add(entry) }
        try archive.set("host", version)
        try archive.set("created", "\(now)")
        try archive.set("digest", Backup.digest(of: entries))
        try archive.finish()
    }

    // MARK: - Finding files

    /// The regular files below a folder, as paths from the data folder.
    private mutating func names(in subfolder: String) throws -> [String] {
        guard let listed = Folder.names(in: path(subfolder)) else {
            // It may have been removed since.
            if errno == ENOENT, !subfolder.isEmpty { return [] }
            throw BackupError.unreadable(path(subfolder))
        }
        let found = listed.map { subfolder.isEmpty ? $0 : "\(subfolder)/\($0)" }
        var names: [String] = []
        for name in found where !isSkipped(name, among: found) {
            guard let status = FileStatus(of: path(name), followsLinks: false) else {
                // The name is not UTF-8: decoding replaced bytes, so the path no longer matches.
                if name.contains("\u{FFFD}") {
                    warnings.append("'\(path(name))' is left out: its name is not UTF-8.")
                }
                continue
            }
            switch status.kind {
            case .file: names.append(name)
            case .folder: names += try self.names(in: name)
            // The store finds copies of libraries by links, and recreates them.
            case .link where name.hasPrefix("modules/"): continue
            default: warnings.append("'\(path(name))' is left out: it is not a regular file.")
            }
        }
        return names
    }

    private func isSkipped(_ name: String, among all: [String]) -> Bool {
        if Self.ofRunningHost.contains(name) { return true }
        return Self.besideDatabases.contains {
            name.hasSuffix($0) && all.contains(String(name.dropLast($0.count)))
        }
    }

    private func path(_ name: String) -> String { name.isEmpty ? folder : "\(folder)/\(name)" }

    private func isDatabase(_ name: String) throws -> Bool {
        let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, 16, 0)
        // Closing drops all locks of the process on the file, so a host makes its backups in a child process.
        close(descriptor)
        return count == 16 && bytes == Array("SQLite format 3\0".utf8)
    }

    // MARK: - Adding files

    private mutating func addDatabase(_ name: String) throws {
        let descriptor = open(scratch, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BackupError.unwritable(scratch) }
        close(descriptor)
        defer { unlink(scratch) }
        do {
            try DatabaseCopy.whole(path(name), to: scratch, owner: owner(of: name))
        } catch let error as DatabaseError where error.code == .databaseCorrupt {
            warnings.append("\(error.message) It is in the backup as it is.")
            try add(name)
            return
        }
        databases += 1
        try add(name, from: scratch)
    }

    private func owner(of name: String) -> String {
        let file = name.split(separator: "/").last.map(String.init) ?? name
        return file.hasSuffix(".sqlite") ? String(file.dropLast(7)) : file
    }

    /// Adds files that belong together: none of them may change until all have been read.
    private mutating func addTogether(_ names: [String]) throws {
        for _ in 0..<Self.attempts {
            let before = names.map { FileSystem.identity(of: path($0)) }
            let count = entries.count
            for name in names { try add(name) }
            if names.map({ FileSystem.identity(of: path($0)) }) == before { return }
            for entry in entries[count...] { try archive.removeParts(of: entry.name) }
            entries.removeSubrange(count...)
        }
        throw BackupError.restless(folder)
    }

    /// Adds a file as it is now; a file that was removed meanwhile is left out.
    private mutating func add(_ name: String, from source: String? = nil) throws {
        let descriptor = open(source ?? path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw BackupError.unreadable(path(name))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw BackupError.unreadable(path(name)) }
        let hasher = ContentHasher()
        var (size, number) = (0, 0)
        var failure: BackupError?
        while size < Int(status.st_size), failure == nil {
            // Read no more than the initial size: a log may keep growing.
            var part = [UInt8](repeating: 0, count: min(FileArchive.partSize, Int(status.st_size) - size))
            let count = Glibc.read(descriptor, &part, part.count)
            if count < 0 { failure = BackupError.unreadable(path(name)) }
            if count <= 0 { break }
            part.removeLast(part.count - count)
            hasher.add(part)
            do { try archive.add(part, number: number, of: name) } catch {
                _ = hasher.finish()
                throw error
            }
            size += count
            number += 1
        }
        let digest = hasher.finish()
        if let failure { throw failure }
        entries.append(
            FileArchive.Entry(name: name, mode: status.st_mode & 0o700, size: size, digest: digest))
    }
}
