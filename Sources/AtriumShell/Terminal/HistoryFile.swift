internal import Glibc

/// The file that carries the history from one run to the next: a line each, UTF-8, readable by its owner only.
///
/// Whatever goes wrong costs history, never the editor: a file that is missing, unreadable, damaged or no
/// file at all reads as empty, and what cannot be written is not.
struct HistoryFile {
    let path: String

    /// Only so much of the end is read; a thousand lines are far less.
    private static let longestTail = 1 << 20

    /// Reads the history and, if the file holds more than it keeps, writes it anew.
    func load() -> CommandHistory {
        guard let (bytes, isWhole) = readTail() else { return CommandHistory() }
        // Split before decoding: damage in one line stays there.
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        let history = CommandHistory(lines.filter { !$0.unicodeScalars.contains("\u{fffd}") })
        if lines.count > CommandHistory.capacity || !isWhole { replace(with: history) }
        return history
    }

    /// Adds a line at the end; the file is created where it is missing.
    func append(_ line: String) {
        guard let descriptor = open(O_WRONLY | O_APPEND | O_CREAT) else { return }
        defer { close(descriptor) }
        fchmod(descriptor, 0o600)
        Self.write(line + "\n", to: descriptor)
    }

    // MARK: - Private

    private func readTail() -> (bytes: [UInt8], isWhole: Bool)? {
        guard let descriptor = open(O_RDONLY) else { return nil }
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        let start = max(size - Self.longestTail, 0)
        guard size > 0, lseek(descriptor, start, SEEK_SET) == start else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: size - start) { buffer, count in
            while count < buffer.count {
                let more = read(descriptor, buffer.baseAddress! + count, buffer.count - count)
                if more < 0, errno == EINTR { continue }
                guard more > 0 else { break }
                count += more
            }
        }
        // The first line of a tail is cut off somewhere.
        guard start > 0, let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            return (bytes, start == 0)
        }
        return (Array(bytes[(end + 1)...]), false)
    }

    /// Writes a new file and puts it in the place of the old one.
    private func replace(with history: CommandHistory) {
        let temporary = HistoryFile(path: "\(path).\(getpid())")
        guard let descriptor = temporary.open(O_WRONLY | O_CREAT | O_EXCL) else { return }
        let text = history.lines.map { $0 + "\n" }.joined()
        let isWritten = Self.write(text, to: descriptor)
        close(descriptor)
        if !isWritten || rename(temporary.path, path) != 0 { unlink(temporary.path) }
    }

    /// Opens the file if it is a regular one.
    ///
    /// A pipe in its place must not make anybody wait.
    private func open(_ flags: Int32) -> Int32? {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return descriptor }
        close(descriptor)
        return nil
    }

    @discardableResult
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    }
}
