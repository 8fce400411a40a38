/// The lines that Up and Ctrl-R go through, oldest first.
struct CommandHistory: Equatable {
    /// How many lines are kept.
    static let capacity = 1000

    private(set) var lines: [String] = []

    init(_ lines: some Sequence<String> = []) {
        for line in lines {
            add(line)
        }
    }

    /// Adds a line, unless it is blank or the same as the one before; the oldest gives way to it.
    ///
    /// - Returns: Whether the line was added.
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

    /// A line with a control character is no line that somebody typed.
    private static func isKept(_ line: String) -> Bool {
        line.contains { !$0.isWhitespace }
            && line.unicodeScalars.allSatisfy { ($0.value >= 0x20 && $0.value != 0x7f) || $0 == "\t" }
    }
}
