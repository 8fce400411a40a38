/// A line of a script as it arrived.
enum InputLine: Sendable, Equatable {
    case text(String)
    /// It can't be read; what follows it may not be run.
    case unreadable(InputError)
}

/// Cuts bytes into lines, which end in LF or CR LF; empty ones are left out, and so is a byte order mark at
/// the start.
struct LineSplitter {
    private var pending: [UInt8] = []
    private var lineNumber = 0
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The lines that are complete with these bytes.
    mutating func add(_ bytes: some Collection<UInt8>) -> [InputLine] {
        pending += bytes
        guard let end = pending.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let lines = pending[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let result = lines.compactMap { line($0) }
        pending.removeSubrange(...end)
        return result
    }

    /// What is left at the end: a last line without its end.
    mutating func finish() -> [InputLine] {
        defer { pending = [] }
        return pending.isEmpty ? [] : [line(pending[...])].compactMap { $0 }
    }

    private mutating func line(_ bytes: ArraySlice<UInt8>) -> InputLine? {
        var bytes = bytes
        lineNumber += 1
        if lineNumber == 1, bytes.starts(with: Self.byteOrderMark) { bytes = bytes.dropFirst(3) }
        if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
        guard !bytes.isEmpty else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .unreadable(.notUTF8(line: lineNumber))
        }
        return .text(text)
    }
}
