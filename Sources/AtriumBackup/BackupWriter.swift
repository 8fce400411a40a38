internal import AtriumKit
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
    /// Sentences about what was left out.
    private(set) var warnings: [String] = []

    mutating func addAll() throws {
        var files = DataFolderFiles(folder: folder)
        try files.copy { name in
            try add(name)
        } remove: { names in
            for name in names { try archive.removeParts(of: name) }
            entries.removeAll()
        } addDatabase: { name, owner in
            try addDatabase(name, owner)
        }
        warnings = files.warnings
    }

    func finish(version: String, now: Timestamp) throws {
        for entry in entries { try archive.add(entry) }
        try archive.set("host", version)
        try archive.set("created", "\(now)")
        try archive.set("digest", Backup.digest(of: entries))
        try archive.finish()
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }

    // MARK: - Adding files

    private mutating func addDatabase(_ name: String, _ owner: String) throws {
        let descriptor = open(scratch, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BackupError.unwritable(scratch) }
        close(descriptor)
        defer { unlink(scratch) }
        try DatabaseCopy.whole(path(name), to: scratch, owner: owner)
        databases += 1
        try add(name, from: scratch)
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
