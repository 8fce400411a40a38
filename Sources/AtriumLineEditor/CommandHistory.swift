package import AtriumKit
internal import AtriumStorage
internal import Glibc

/// The lines that Up and Ctrl-R go through, oldest first.
package struct CommandHistory: Equatable {
    static let capacity = 1000

    package private(set) var lines: [String] = []

    init(_ lines: some Sequence<String> = []) { for line in lines { add(line) } }

    /// Adds a line, unless it is blank or repeats the last one; drops the oldest if full.
    @discardableResult
    mutating func add(_ line: String) -> Bool {
        guard Self.isKept(line), line != lines.last else { return false }
        lines.append(line)
        if lines.count > Self.capacity { lines.removeFirst(lines.count - Self.capacity) }
        return true
    }

    func match(_ text: String, before index: Int) -> Int? {
        guard !text.isEmpty else { return nil }
        return lines[..<index].lastIndex { $0.contains(text) }
    }

    /// True if an entry is kept: it has text, and no control characters, which users don't type.
    private static func isKept(_ line: String) -> Bool {
        line.contains { !$0.isWhitespace }
            && line.unicodeScalars.allSatisfy {
                ($0.value >= 0x20 && $0.value != 0x7f) || $0 == "\t" || $0 == "\n"
            }
    }
}

/// Ctrl-R: a backward search through the history.
package struct HistorySearch: Equatable {
    /// The line before the search, restored if the search is cancelled.
    let original: String
    private(set) var query = ""
    private(set) var found: Int?
    private(set) var hasFailed = false

    mutating func append(_ text: String, in history: CommandHistory) {
        query += text
        look(in: history, before: found.map { $0 + 1 } ?? history.lines.count)
    }

    mutating func removeLast(in history: CommandHistory) {
        _ = query.popLast()
        found = nil
        hasFailed = false
        if !query.isEmpty { look(in: history, before: history.lines.count) }
    }

    mutating func findOlder(in history: CommandHistory) {
        look(in: history, before: found ?? history.lines.count)
    }

    func line(in history: CommandHistory) -> String { found.map { history.lines[$0] } ?? original }

    var prompt: String { hasFailed ? "(not found: '\(query)') " : "(search: '\(query)') " }

    private mutating func look(in history: CommandHistory, before index: Int) {
        let match = history.match(query, before: index)
        hasFailed = match == nil && !query.isEmpty
        found = match ?? found
    }
}

/// Up and Down after the beginning of a line: the history lines that begin with it.
package struct HistoryWalk: Equatable {
    private let beginning: String
    /// The line shown; nil for the typed text.
    private var index: Int?

    init(_ beginning: String) { self.beginning = beginning }

    /// The next older line that differs from the one shown; nil if there is none.
    mutating func older(in history: CommandHistory) -> String? {
        let shown = index.map { history.lines[$0] } ?? beginning
        let end = index ?? history.lines.count
        guard let found = history.lines[..<end].lastIndex(where: { $0.hasPrefix(beginning) && $0 != shown })
        else { return nil }
        index = found
        return history.lines[found]
    }

    /// The next newer line, and finally the typed text; nil if that is shown.
    mutating func newer(in history: CommandHistory) -> String? {
        guard let present = index else { return nil }
        let shown = history.lines[present]
        index = history.lines[(present + 1)...].firstIndex { $0.hasPrefix(beginning) && $0 != shown }
        return index.map { history.lines[$0] } ?? beginning
    }
}

/// The history between runs: one entry a line, in UTF-8, readable only by its owner.
///
/// Between the rows of an entry is a vertical tab, which no entry has.
/// Errors may lose history, but never stop the editor.
package struct HistoryFile {
    let path: String
    /// The most bytes that are read, and so the most that are written.
    var limit = FileContents.defaultLimit

    package init(path: String, limit: Int = FileContents.defaultLimit) {
        self.path = path
        self.limit = limit
    }

    private static let rowEnd = "\u{b}"

    private static func bytes(of entry: String) -> [UInt8] {
        Array(entry.replacing("\n", with: rowEnd).utf8) + [UInt8(ascii: "\n")]
    }

    /// Reads the lines; a link, folder or pipe in place of the file is reported.
    package func load(report: (any ExplainedError) -> Void = { _ in }) -> CommandHistory {
        let bytes: [UInt8]
        do {
            bytes = try StateFile.read(path, limit: limit) ?? []
        } catch {
            report(error)
            return CommandHistory()
        }
        // Split before decoding, so that damage is limited to its line.
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        let history = CommandHistory(
            lines.lazy.filter { !$0.unicodeScalars.contains("\u{fffd}") }
                .map { $0.replacing(Self.rowEnd, with: "\n") })
        if lines.count > CommandHistory.capacity || bytes.count > limit / 2 { try? replace(with: history) }
        return history
    }

    /// Adds a line; if it would make the file too large to read again, drops the oldest.
    func append(_ line: String) {
        let bytes = Self.bytes(of: line)
        guard bytes.count <= limit / 2, let descriptor = open(O_WRONLY | O_APPEND | O_CREAT) else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, Int(status.st_size) <= limit else { return }
        if Int(status.st_size) + bytes.count > limit {
            var history = load()
            if history.add(line) { try? replace(with: history) }
            return
        }
        _ = write(descriptor, bytes, bytes.count)
    }

    /// Writes the newest lines that fill at most half the limit.
    private func replace(with history: CommandHistory) throws {
        // The new file gets the permissions of the old one.
        if let descriptor = open(O_WRONLY) { close(descriptor) }
        var size = 0
        let newest = history.lines.reversed().prefix { line in
            size += line.utf8.count + 1
            return size <= limit / 2
        }
        let file = try AtomicFile(path, replaces: true)
        try file.write(newest.reversed().flatMap(Self.bytes))
        try file.finish()
    }

    /// Opens the file if it is a regular one, as a pipe would block; from then on only its owner may read it.
    private func open(_ flags: Int32) -> Int32? {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        // Leave the permissions of a file that belongs to another user, or has another name too.
        if status.st_uid == geteuid(), status.st_nlink == 1 { fchmod(descriptor, 0o600) }
        return descriptor
    }
}
