internal import Glibc

/// The lines that Up and Ctrl-R go through, oldest first.
struct CommandHistory: Equatable {
    static let capacity = 1000

    private(set) var lines: [String] = []

    init(_ lines: some Sequence<String> = []) {
        for line in lines {
            add(line)
        }
    }

    /// Adds a line, unless it is blank or repeats the last; the oldest is dropped for it.
    @discardableResult
    mutating func add(_ line: String) -> Bool {
        guard Self.isKept(line), line != lines.last else { return false }
        lines.append(line)
        if lines.count > Self.capacity { lines.removeFirst(lines.count - Self.capacity) }
        return true
    }

    /// The last line before an index that contains a text, or nil.
    func match(_ text: String, before index: Int) -> Int? {
        guard !text.isEmpty else { return nil }
        return lines[..<index].lastIndex { $0.contains(text) }
    }

    /// Nobody types control characters.
    private static func isKept(_ line: String) -> Bool {
        line.contains { !$0.isWhitespace }
            && line.unicodeScalars.allSatisfy { ($0.value >= 0x20 && $0.value != 0x7f) || $0 == "\t" }
    }
}

/// Ctrl-R: a search backwards through the history.
struct HistorySearch: Equatable {
    /// The line before the search, restored if the search is cancelled.
    let original: String
    private(set) var query = ""
    /// The index of the line found last.
    private(set) var found: Int?
    /// Whether the query is found nowhere.
    private(set) var hasFailed = false

    init(original: String) {
        self.original = original
    }

    /// Extends the query and searches on from the line found last.
    mutating func append(_ text: String, in history: CommandHistory) {
        query += text
        look(in: history, before: found.map { $0 + 1 } ?? history.lines.count)
    }

    /// Shortens the query and searches from the newest line.
    mutating func removeLast(in history: CommandHistory) {
        _ = query.popLast()
        found = nil
        hasFailed = false
        if !query.isEmpty { look(in: history, before: history.lines.count) }
    }

    /// Finds the next older line.
    mutating func findOlder(in history: CommandHistory) {
        guard let found else { return look(in: history, before: history.lines.count) }
        look(in: history, before: found)
    }

    func line(in history: CommandHistory) -> String {
        found.map { history.lines[$0] } ?? original
    }

    var prompt: String {
        hasFailed ? "(not found: '\(query)') " : "(search: '\(query)') "
    }

    private mutating func look(in history: CommandHistory, before index: Int) {
        let match = history.match(query, before: index)
        hasFailed = match == nil && !query.isEmpty
        found = match ?? found
    }
}

/// The history between runs: a line each, in UTF-8, readable by its owner only.
///
/// Errors cost history, never the editor: a file that can't be read counts as empty.
struct HistoryFile {
    let path: String

    private static let longestTail = 1 << 20

    /// Reads the history and rewrites the file if it holds more than is kept.
    func load() -> CommandHistory {
        guard let (bytes, isWhole) = readTail() else { return CommandHistory() }
        // Split before decoding, so that damage stays in its line.
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        let history = CommandHistory(lines.filter { !$0.unicodeScalars.contains("\u{fffd}") })
        if lines.count > CommandHistory.capacity || !isWhole { replace(with: history) }
        return history
    }

    func append(_ line: String) {
        guard let descriptor = open(O_WRONLY | O_APPEND | O_CREAT) else { return }
        defer { close(descriptor) }
        fchmod(descriptor, 0o600)
        Self.write(line + "\n", to: descriptor)
    }

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
        // The first line of a tail is incomplete.
        guard start > 0, let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            return (bytes, start == 0)
        }
        return (Array(bytes[(end + 1)...]), false)
    }

    private func replace(with history: CommandHistory) {
        let temporary = HistoryFile(path: "\(path).\(getpid())")
        guard let descriptor = temporary.open(O_WRONLY | O_CREAT | O_EXCL) else { return }
        let text = history.lines.map { $0 + "\n" }.joined()
        let isWritten = Self.write(text, to: descriptor)
        close(descriptor)
        if !isWritten || rename(temporary.path, path) != 0 { unlink(temporary.path) }
    }

    /// Opens the file if it is a regular one: a pipe would block.
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
