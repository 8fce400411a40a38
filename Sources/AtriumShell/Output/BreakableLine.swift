/// A line of text on its way into lines of a certain width.
struct BreakableLine {
    /// A grapheme cluster and what may happen beside it.
    private struct Cluster {
        /// Where it begins, in bytes.
        let offset: Int
        let columns: Int
        let traits: BreakTraits
        /// Whether it is a blank that a line may not be broken at.
        var isGlued = false

        var isBlank: Bool { traits.contains(.blank) }
        var isBreak: Bool { isBlank && !isGlued }
    }

    private let bytes: [UInt8]
    private var clusters: [Cluster]
    private var start = 0

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
        guard !bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            clusters = bytes.enumerated().map { offset, byte in
                Cluster(offset: offset, columns: 1, traits: BreakTraits(Unicode.Scalar(byte)))
            }
            return
        }
        clusters = []
        var offset = 0
        for character in text {
            clusters.append(
                Cluster(
                    offset: offset, columns: TextWidth.of(character), traits: BreakTraits(character)))
            offset += character.utf8.count
        }
    }

    /// Whether nothing is left.
    var isEmpty: Bool { start == clusters.count }

    /// Takes what one line of `width` columns holds, and the blanks behind it.
    mutating func takeLine(of width: Int) -> String {
        let end = bestEnd(within: width)
        let last = clusters[start..<end].lastIndex { !$0.isBlank }.map { $0 + 1 } ?? start
        let line = text(start..<last)
        start = end
        while !isEmpty, clusters[start].isBlank { start += 1 }
        return line
    }

    /// Takes everything before the cluster at `end`.
    mutating func take(_ end: Int) -> String {
        defer { start = end }
        return text(start..<end)
    }

    private func text(_ range: Range<Int>) -> String {
        guard let first = range.first else { return "" }
        let end = range.upperBound < clusters.count ? clusters[range.upperBound].offset : bytes.count
        return String(decoding: bytes[clusters[first].offset..<end], as: UTF8.self)
    }

    /// The end of what fits into `width` columns; one cluster at least.
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

    // MARK: - Where to break

    private mutating func bestEnd(within width: Int) -> Int {
        let end = end(within: width)
        guard end < clusters.count, let word = firstWord else { return end }
        if let end = lastBreak(in: word + 1, end, where: isBreak) { return end }
        guard word == start else {
            // Blanks before a word give way to it.
            start = word
            return bestEnd(within: width)
        }
        if let end = lastBreak(in: word + 1, end, where: { clusters[$0].isBlank }) { return end }
        return lastBreak(in: max(word + 1, (word + end) / 2), end, where: isBehindPunctuation) ?? end
    }

    /// The first cluster that is no blank.
    private var firstWord: Int? { clusters[start...].firstIndex { !$0.isBlank } }

    private func lastBreak(in first: Int, _ last: Int, where isBreak: (Int) -> Bool) -> Int? {
        guard first <= last else { return nil }
        return (first...last).last(where: isBreak)
    }

    /// Whether a line may be broken before the cluster at `index` with no word being broken.
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

    /// The columns of the widest part between two places to break at.
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

    // MARK: - Quotations

    /// Keeps the arguments in quotes together that are no wider than `width` columns.
    mutating func glueQuotations(upTo width: Int) {
        var index = 0
        while index < clusters.count {
            guard let end = quotationEnd(from: index) else {
                index += 1
                continue
            }
            // The word around the quotation is what must fit: `--name='A b'.`
            let wordStart = clusters[..<index].lastIndex(where: \.isBlank).map { $0 + 1 } ?? 0
            let wordEnd = clusters[end...].firstIndex(where: \.isBlank) ?? clusters.count
            if clusters[wordStart..<wordEnd].reduce(0, { $0 + $1.columns }) <= width {
                for blank in index..<end where clusters[blank].isBlank { clusters[blank].isGlued = true }
            }
            index = end + 1
        }
    }

    /// Where the quotation that begins at `index` is closed; nil where none begins, as with an apostrophe.
    private func quotationEnd(from index: Int) -> Int? {
        let quote = bytes[clusters[index].offset]
        guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else { return nil }
        // Behind a blank, a bracket or an equals sign, not inside of a word.
        if index > 0, clusters[index - 1].traits.isDisjoint(with: [.blank, .opens, .separator]) {
            return nil
        }
        return clusters.indices[(index + 1)...].first {
            bytes[clusters[$0].offset] == quote && bytes[clusters[$0 - 1].offset] != UInt8(ascii: "\\")
        }
    }
}
