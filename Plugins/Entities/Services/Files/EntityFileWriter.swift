import AtriumKit
import Glibc

/// Writes entities into a file that is there only once it is whole.
///
/// The rows go into a file beside it, with mode 0600, which ``finish()`` renames. A writer that goes without
/// having finished removes that file; what was at the path before stays.
struct EntityFileWriter: ~Copyable {
    private let file: EntityFile
    /// Where the file is in the end: what a link leads to.
    private let path: String
    private let temporaryPath: String
    private var descriptor: CInt
    private var buffer: [UInt8] = []
    private static let room = 1 << 16

    /// Begins a file.
    ///
    /// - Throws: ``EntityFileError`` for what is there and no regular file, and for a folder that can't be
    ///   written to.
    init(_ file: EntityFile) throws(EntityFileError) {
        let path = try Self.destination(file.path)
        let (descriptor, temporaryPath) = try Self.create(beside: path)
        self.file = file
        self.path = path
        self.descriptor = descriptor
        self.temporaryPath = temporaryPath
        buffer.reserveCapacity(Self.room + 4096)
        if file.format == .csv { buffer += "name,category,notes\r\n".utf8 }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unlink(temporaryPath)
    }

    /// Adds a row.
    mutating func write(name: String, category: String?, notes: String?) throws(EntityFileError) {
        switch file.format {
        case .csv: buffer.append(csv: [name, category ?? "", notes ?? ""])
        case .jsonLines: buffer.append(json: name, category, notes)
        }
        if buffer.count >= Self.room { try flush() }
    }

    /// Adds a draft as a row.
    mutating func write(_ draft: EntityDraft) throws(EntityFileError) {
        try write(name: draft.name, category: draft.category, notes: draft.notes)
    }

    /// Puts the file in its place; when this returns it survives the end of the machine.
    consuming func finish() throws(EntityFileError) {
        try flush()
        guard fsync(descriptor) == 0 else { throw failure() }
        guard rename(temporaryPath, path) == 0 else { throw failure() }
        close(descriptor)
        descriptor = -1
        Self.synchronizeFolder(of: path)
    }

    private mutating func flush() throws(EntityFileError) {
        var written = 0
        while written < buffer.count {
            let count = buffer[written...].withUnsafeBytes { rest in
                Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw failure()
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// The error for the system call just made.
    private func failure() -> EntityFileError {
        Self.failure(file.path)
    }

    private static func failure(_ path: String) -> EntityFileError {
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(errno)
        return .unwritable(path, FileBytes.reason(errno), isFull: isFull)
    }

    private static func destination(_ path: String) throws(EntityFileError) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw failure(path) }
            return path
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .unwritable(path, "it is a folder")
        default: throw .unwritable(path, "it is not a regular file")
        }
        guard let resolved = realpath(path, nil) else { throw failure(path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func create(beside path: String) throws(EntityFileError) -> (CInt, String) {
        var number = 0
        while true {
            number += 1
            let temporary = "\(path).\(getpid())-\(number).tmp"
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if descriptor >= 0 { return (descriptor, temporary) }
            // Another writer of this process, or what one left that had the same id and was killed.
            guard errno == EEXIST else { throw failure(path) }
        }
    }

    /// The file is whole and in its place, so a folder that can't be waited for is no failure.
    private static func synchronizeFolder(of path: String) {
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }
}

extension [UInt8] {
    /// Adds a record as RFC 4180 writes it, in quotes where it has to be.
    fileprivate mutating func append(csv fields: [String]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(csvField: field)
        }
        self += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    private mutating func append(csvField field: String) {
        let quote = UInt8(ascii: "\"")
        let needsQuotes = field.utf8.contains { byte in
            byte == quote || byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D
        }
        guard needsQuotes else {
            self += field.utf8
            return
        }
        append(quote)
        for byte in field.utf8 {
            if byte == quote { append(quote) }
            append(byte)
        }
        append(quote)
    }

    /// Adds a line of JSON; members without a text are left out.
    fileprivate mutating func append(json name: String, _ category: String?, _ notes: String?) {
        var object: JSONObject = ["name": .string(name)]
        if let category { object["category"] = .string(category) }
        if let notes { object["notes"] = .string(notes) }
        self += JSONValue.object(object).serialized.utf8
        append(UInt8(ascii: "\n"))
    }
}
