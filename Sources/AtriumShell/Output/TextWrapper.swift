/// Breaks text into lines that are no wider than a terminal.
///
/// A line is broken at blanks, which are left out there, and on either side of an ideograph, for languages
/// that write no blanks. A word that is wider than a whole line is broken behind its punctuation, as in
/// paths and addresses, else between grapheme clusters. Nothing but blanks is left out.
struct TextWrapper {
    /// The columns of a line.
    let width: Int
    /// The columns by which all lines but the first are set in.
    var indent = 0
    /// Whether an argument in quotes stays in one line where a line can hold it.
    var keepsQuotations = false

    /// The lines of `text`, at least one; line ends that it has are kept.
    func lines(of text: String) -> [String] {
        var lines: [String] = []
        guard text.utf8.contains(UInt8(ascii: "\n")) else {
            append(text[...], to: &lines)
            return lines
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            append(line, to: &lines)
        }
        return lines
    }

    /// The columns of the widest part of `line` that is not broken where that can be helped; `indent` is
    /// added to parts that are not the first, as these may begin a later line.
    static func widestWord(in line: String, indent: Int = 0) -> Int {
        let utf8 = line.utf8
        guard utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            return BreakableLine(line).widestWord(indent: indent)
        }
        var widest = 0
        var columns = 0
        for byte in utf8 {
            columns = byte == UInt8(ascii: " ") ? indent : columns + 1
            widest = max(widest, columns)
        }
        return widest
    }

    /// `text` cut after each `width` columns, blanks and all.
    static func cut(_ text: String, to width: Int) -> [String] {
        guard TextWidth.of(text) > width else { return [text] }
        var lines: [String] = []
        var rest = BreakableLine(text)
        while !rest.isEmpty { lines.append(rest.take(rest.end(within: width))) }
        return lines
    }

    private func append(_ line: Substring, to lines: inout [String]) {
        func room() -> Int { lines.isEmpty ? width : width - margin }
        if TextWidth.of(line) <= room() {
            lines.append(set(line.droppingLastBlanks, isFirst: lines.isEmpty))
            return
        }
        var rest = BreakableLine(line)
        if keepsQuotations { rest.glueQuotations(upTo: width - margin) }
        repeat {
            lines.append(set(rest.takeLine(of: room()), isFirst: lines.isEmpty))
        } while !rest.isEmpty
    }

    /// The indentation, where it leaves room for text.
    private var margin: Int { min(indent, max(0, width / 2 - 1)) }

    private func set(_ line: String, isFirst: Bool) -> String {
        isFirst || line.isEmpty ? line : String(repeating: " ", count: margin) + line
    }
}

extension StringProtocol where UTF8View: BidirectionalCollection {
    /// The text without blanks at its end.
    var droppingLastBlanks: String {
        guard utf8.last == UInt8(ascii: " ") else { return String(self) }
        return String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
    }
}
