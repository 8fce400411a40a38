/// Breaks text into lines of a terminal's width.
///
/// Breaks at blanks and beside ideographs; a word wider than a line after its punctuation, as in paths, else
/// between grapheme clusters. Only blanks are dropped.
package struct TextWrapper {
    let width: Int
    var indent = 0
    /// True if a quoted argument stays on one line if a line can hold it.
    var keepsQuotations = false

    package init(width: Int, indent: Int = 0, keepsQuotations: Bool = false) {
        (self.width, self.indent, self.keepsQuotations) = (width, indent, keepsQuotations)
    }

    package func lines(of text: String) -> [String] {
        var lines: [String] = []
        guard text.utf8.has(UInt8(ascii: "\n")) else {
            append(text[...], to: &lines)
            return lines
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { append(line, to: &lines) }
        return lines
    }

    /// The width of the widest unbreakable part; `indent` is added to all but the first.
    static func widestWord(in line: String, indent: Int = 0) -> Int {
        let utf8 = line.utf8
        guard utf8.arePlain() else {
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
        repeat { lines.append(set(rest.takeLine(of: room()), isFirst: lines.isEmpty)) } while !rest.isEmpty
    }

    /// The indentation, if it leaves room for text.
    private var margin: Int { min(indent, max(0, width / 2 - 1)) }

    private func set(_ line: String, isFirst: Bool) -> String {
        isFirst || line.isEmpty ? line : String(repeating: " ", count: margin) + line
    }
}

extension StringProtocol where UTF8View: BidirectionalCollection {
    var droppingLastBlanks: String {
        guard utf8.last == UInt8(ascii: " ") else { return String(self) }
        return String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
    }
}

package struct BreakableLine {
    private struct Cluster {
        let offset: Int
        let columns: Int
        let traits: BreakTraits
        /// True if it is a blank inside a quotation, where lines are not broken.
        var isGlued = false

        var isBlank: Bool { traits.contains(.blank) }
        var isBreak: Bool { isBlank && !isGlued }
    }

    private let bytes: [UInt8]
    private var clusters: [Cluster]
    private var start = 0

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
        guard !bytes.arePlain() else {
            clusters = bytes.enumerated().map { offset, byte in
                Cluster(offset: offset, columns: 1, traits: BreakTraits(Unicode.Scalar(byte)))
            }
            return
        }
        clusters = []
        var offset = 0
        for character in text {
            clusters.append(
                Cluster(offset: offset, columns: TextWidth.of(character), traits: BreakTraits(character)))
            offset += character.utf8.count
        }
    }

    var isEmpty: Bool { start == clusters.count }

    mutating func takeLine(of width: Int) -> String {
        let end = bestEnd(within: width)
        let last = clusters[start..<end].lastIndex { !$0.isBlank }.map { $0 + 1 } ?? start
        let line = text(start..<last)
        start = end
        while !isEmpty, clusters[start].isBlank { start += 1 }
        return line
    }

    mutating func take(_ end: Int) -> String {
        defer { start = end }
        return text(start..<end)
    }

    private func text(_ range: Range<Int>) -> String {
        guard let first = range.first else { return "" }
        let end = range.upperBound < clusters.count ? clusters[range.upperBound].offset : bytes.count
        return String(decoding: bytes[clusters[first].offset..<end], as: UTF8.self)
    }

    /// The end of the part that fits in `width` columns, at least one cluster.
    func end(within width: Int) -> Int {
        var columns = 0
        var end = start
        while end < clusters.count {
            columns += clusters[end].columns
            guard columns <= width else { break }
            end += 1
        }
        return end == start ? min(start + 1, clusters.count) : end
    }

    private mutating func bestEnd(within width: Int) -> Int {
        let end = end(within: width)
        guard end < clusters.count, let word = firstWord else { return end }
        if let end = lastBreak(in: word + 1, end, where: isBreak) { return end }
        guard word == start else {
            // Blanks before the word are dropped.
            start = word
            return bestEnd(within: width)
        }
        if let end = lastBreak(in: word + 1, end, where: { clusters[$0].isBlank }) { return end }
        return lastBreak(in: max(word + 1, (word + end) / 2), end, where: isBehindPunctuation) ?? end
    }

    private var firstWord: Int? { clusters[start...].firstIndex { !$0.isBlank } }

    private func lastBreak(in first: Int, _ last: Int, where isBreak: (Int) -> Bool) -> Int? {
        guard first <= last else { return nil }
        return (first...last).last(where: isBreak)
    }

    /// True if a line may be broken before a cluster without breaking a word.
    private func isBreak(_ index: Int) -> Bool {
        let (before, after) = (clusters[index - 1], clusters[index])
        if before.isBreak || after.isBreak { return true }
        guard !before.isBlank, !after.isBlank else { return false }
        guard before.traits.union(after.traits).contains(.ideograph) else { return false }
        return !before.traits.contains(.opens) && !after.traits.contains(.closes)
    }

    private func isBehindPunctuation(_ index: Int) -> Bool {
        clusters[index - 1].traits.contains(.separator) && !clusters[index].traits.contains(.separator)
    }

    func widestWord(indent: Int) -> Int {
        var widest = 0
        var columns = 0
        for index in clusters.indices {
            if index > 0, isBreak(index) { columns = indent }
            if !clusters[index].isBlank { columns += clusters[index].columns }
            widest = max(widest, columns)
        }
        return widest
    }

    mutating func glueQuotations(upTo width: Int) {
        var index = 0
        while index < clusters.count {
            guard let end = quotationEnd(from: index) else {
                index += 1
                continue
            }
            // The whole word must fit: `--name='A b'.`
            let wordStart = clusters[..<index].lastIndex(where: \.isBlank).map { $0 + 1 } ?? 0
            let wordEnd = clusters[end...].firstIndex(where: \.isBlank) ?? clusters.count
            if clusters[wordStart..<wordEnd].reduce(0, { $0 + $1.columns }) <= width {
                for blank in index..<end where clusters[blank].isBlank { clusters[blank].isGlued = true }
            }
            index = end + 1
        }
    }

    /// The end of the quotation that begins at `index`; nil if none does, as for an apostrophe.
    private func quotationEnd(from index: Int) -> Int? {
        let quote = bytes[clusters[index].offset]
        guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else { return nil }
        // A quote inside a word is an apostrophe.
        if index > 0, clusters[index - 1].traits.isDisjoint(with: [.blank, .opens, .separator]) {
            return nil
        }
        return clusters.indices[(index + 1)...].first {
            bytes[clusters[$0].offset] == quote && bytes[clusters[$0 - 1].offset] != UInt8(ascii: "\\")
        }
    }
}

/// The effect of a grapheme cluster on line breaks: a small part of UAX #14.
struct BreakTraits: OptionSet {
    let rawValue: UInt8

    /// Dropped at a line break.
    static let blank = BreakTraits(rawValue: 1)
    /// A character of a script without blanks.
    static let ideograph = BreakTraits(rawValue: 2)
    /// Not allowed at the end of a line.
    static let opens = BreakTraits(rawValue: 4)
    /// Not allowed at the beginning of a line.
    static let closes = BreakTraits(rawValue: 8)
    /// Ends a part of a path or a list.
    static let separator = BreakTraits(rawValue: 16)
}

extension BreakTraits {
    init(_ character: Character) {
        // A blank with a combining mark is not dropped.
        self = character.unicodeScalars.first.map { BreakTraits($0) } ?? []
        if character != " " { remove(.blank) }
    }

    init(_ scalar: Unicode.Scalar) {
        switch scalar {
        case " ": self = .blank
        case "0"..."9", "A"..."Z", "a"..."z": self = []
        case ".", ",", ":", ";", "?": self = [.closes, .separator]
        case "/", "\\", "-", "_", "&", "=", "@", "#", "+", "|": self = .separator
        case "!", ")", "]", "}", "…", "”", "’": self = .closes
        case "(", "[", "{", "“", "‘": self = .opens
        case "'", "\"": self = [.opens, .closes]
        case "（", "［", "｛", "「", "『", "【", "〈", "《", "〔": self = [.ideograph, .opens]
        case "）", "］", "｝", "」", "』", "】", "〉", "》", "〕", "、", "。", "，", "．", "：", "；", "！", "？", "ー", "々":
            self = [.ideograph, .closes]
        // Kana, bopomofo, ideographs, full-width forms, emoji. Hangul is written with blanks.
        case "\u{2E80}"..."\u{312F}", "\u{3190}"..."\u{4DBF}", "\u{4E00}"..."\u{A4CF}",
            "\u{F900}"..."\u{FAFF}", "\u{FF00}"..."\u{FFEF}", "\u{1F300}"..."\u{1FAFF}",
            "\u{20000}"..."\u{3FFFF}":
            self = .ideograph
        default: self = []
        }
    }
}
