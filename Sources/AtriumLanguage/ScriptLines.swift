internal import AtriumKit
package import AtriumText

/// A line of a script, or why it can't be read; the script stops there.
package typealias InputLine = Result<String, ShellError>

extension InputLine {
    /// The lines of a script, each joined with its continuation lines.
    package static func lines(of bytes: [UInt8]) -> [InputLine] {
        var (splitter, joiner) = (LineSplitter(), LineJoiner())
        return joiner.add(splitter.add(bytes) + splitter.finish()) + joiner.finish()
    }
}

/// Joins continued lines: a quote is open, or there is a backslash at the end.
///
/// Never runs a possible rest of quoted text as commands: text that is too long is skipped to its end, and
/// the commands end at a line that may or may not close a quote.
package struct LineJoiner {
    private var pending: String?
    /// Why the pending line continues.
    private var continuation: Lexer.Continuation?
    /// True if the pending line is too long and being skipped.
    private var isSkipping = false
    private var hasEnded = false

    package init() {}

    package mutating func add(_ lines: [LineSplitter.Line]) -> [InputLine] { lines.flatMap { add($0) } }

    private mutating func add(_ line: LineSplitter.Line) -> [InputLine] {
        guard !hasEnded else { return [] }
        switch line {
        case .text(let text): return add(text)
        case .notText(let number, let text):
            let error = ShellError.notText(number)
            guard continuation != nil || Lexer.continuation(of: text) != nil else { return [.failure(error)] }
            end()
            return [.failure(error), .failure(.lost(number))]
        case .tooLong(let number):
            let error = ShellError.tooLong("Line \(number) of the commands")
            guard continuation != nil else { return [.failure(error)] }
            end()
            return [.failure(error), .failure(.lost(number))]
        case .quotesWereSkipped(let number):
            end()
            return [.failure(.lost(number))]
        }
    }

    private mutating func add(_ text: String) -> [InputLine] {
        if pending == nil, !isSkipping, text.isEmpty { return [] }
        continuation = Lexer.continuation(of: text, behind: continuation)
        if isSkipping {
            isSkipping = continuation != nil
            return []
        }
        if pending == nil {
            guard continuation != nil else { return [.success(text)] }
            pending = text
        } else {
            pending?.append("\n" + text)
        }
        if let pending, pending.utf8.count > LineSplitter.limit {
            self.pending = nil
            isSkipping = continuation != nil
            return [.failure(.tooLong("A line of the commands, with those in which it goes on,"))]
        }
        return continuation == nil ? finish() : []
    }

    /// Ends the commands; an unfinished line is not run.
    private mutating func end() {
        (hasEnded, pending, continuation) = (true, nil, nil)
    }

    /// Returns the unfinished rest of the input.
    package mutating func finish() -> [InputLine] {
        defer { (pending, continuation) = (nil, nil) }
        return pending.map { [.success($0)] } ?? []
    }
}

/// Cuts bytes into lines that end in LF or CR LF; leaves out a byte order mark at the start.
///
/// Keeps at most ``limit`` bytes: reports that a longer line is too long, and skips the rest.
package struct LineSplitter {
    package enum Line: Equatable {
        case text(String)
        /// Not UTF-8: the line's number, and its text with replacement characters.
        case notText(Int, String)
        /// Longer than ``limit``; reported as soon as that is known.
        case tooLong(Int)
        /// The end of a line that was too long, and whose skipped part had quotes or backslashes.
        case quotesWereSkipped(Int)
    }

    private var pending: [UInt8] = []
    private var lineNumber = 0
    /// True if the pending line was already reported as too long.
    private var isSkipping = false
    private var skipsQuotes = false

    package init() {}
    /// The most bytes of a line.
    package static let limit = 1 << 20
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    package mutating func add(_ bytes: some Collection<UInt8>) -> [Line] {
        var lines: [Line?] = []
        // Of one type: bytes of any collection would be read through its witnesses, one by one.
        var rest = ArraySlice(bytes)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(keep(rest[..<end]))
            lines.append(isSkipping ? endOfSkipped() : line())
            rest = rest[rest.index(after: end)...]
        }
        lines.append(keep(rest))
        return lines.compactMap { $0 }
    }

    package mutating func finish() -> [Line] {
        let last = isSkipping ? endOfSkipped() : pending.isEmpty ? nil : line()
        return last.map { [$0] } ?? []
    }

    /// Appends bytes to the pending line, or returns that it has become too long.
    private mutating func keep(_ bytes: ArraySlice<UInt8>) -> Line? {
        if !isSkipping, pending.count + bytes.count <= Self.limit {
            pending += bytes
            return nil
        }
        skipsQuotes =
            skipsQuotes || pending.contains(where: Self.quotes) || bytes.contains(where: Self.quotes)
        pending = []
        guard !isSkipping else { return nil }
        isSkipping = true
        lineNumber += 1
        return .tooLong(lineNumber)
    }

    private static func quotes(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x27 || byte == 0x5C }

    private mutating func endOfSkipped() -> Line? {
        defer { (isSkipping, skipsQuotes) = (false, false) }
        return skipsQuotes ? .quotesWereSkipped(lineNumber) : nil
    }

    private mutating func line() -> Line {
        var bytes = pending[...]
        pending = []
        lineNumber += 1
        if lineNumber == 1, bytes.starts(with: Self.byteOrderMark) { bytes = bytes.dropFirst(3) }
        if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
        if let text = String(validating: bytes, as: UTF8.self) { return .text(text) }
        return .notText(lineNumber, String(decoding: bytes, as: UTF8.self))
    }
}

extension ShellError {
    package static func tooLong(_ line: String) -> ShellError {
        ShellError(
            "badInput", "\(line) is longer than \(LineSplitter.limit) bytes; it was not run.",
            hint: "Break it into shorter lines.")
    }

    fileprivate static func notText(_ line: Int) -> ShellError {
        ShellError(
            "badInput", "Line \(line) of the commands is not text in UTF-8; it was not run.",
            hint: "Save the commands as UTF-8.")
    }

    fileprivate static func lost(_ line: Int) -> ShellError {
        ShellError(
            "badInput",
            "The commands after line \(line) were not run: they may be the rest of a quoted text.",
            hint: "Correct the line, and run the commands from there.")
    }
}
