/// The words of a statement: its keywords, names and texts, without comments.
enum StatementWords {
    /// A keyword, a name or a text, or a sign such as a parenthesis.
    struct Word {
        /// In lower case; nil for a sign.
        var name: String?
        var sign: Character?
        /// The quote before it; nil for a keyword or a plain name.
        var quote: String?
    }

    /// Returns the keywords and plain names in lower case, without quoted names and texts.
    static func of(_ sql: String) -> Set<String> {
        Set(all(in: sql).filter { $0.quote == nil }.compactMap(\.name))
    }

    /// Returns all of them in order.
    static func all(in sql: String) -> [Word] {
        // By bytes, as SQLite: a character may join a quote or the end of a line with what follows.
        var (words, rest, lastEnd) = ([Word](), Array(sql.utf8)[...], -1)
        while let byte = rest.first {
            if let quote = quotes.first(where: { rest.starts(with: $0.start.utf8) }) {
                let isSecond = rest.startIndex == lastEnd && words.last?.quote == quote.start
                rest = rest.dropFirst(quote.start.utf8.count)
                let end = rest.firstRange(of: Array(quote.end.utf8))
                let quoted = rest[..<(end?.lowerBound ?? rest.endIndex)]
                if quote.isText, isSecond, quote.start == quote.end {
                    // A doubled quote is a part of the text.
                    words[words.count - 1].name? += quote.start + text(quoted)
                } else if quote.isText {
                    words.append(Word(name: text(quoted), quote: quote.start))
                }
                rest = end.map { rest[$0.upperBound...] } ?? []
                lastEnd = rest.startIndex
            } else if rest.starts(with: byteOrderMark) {
                // A blank to SQLite, but a part of a name within one.
                rest = rest.dropFirst(byteOrderMark.count)
            } else {
                let word = rest.prefix(while: isPart)
                if !word.isEmpty {
                    words.append(Word(name: text(word)))
                } else if !blanks.contains(byte) {
                    words.append(Word(sign: Character(Unicode.Scalar(byte))))
                }
                rest = rest.dropFirst(max(1, word.count))
            }
        }
        return words
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }

    private static let quotes: [(start: String, end: String, isText: Bool)] = [
        ("'", "'", true), ("\"", "\"", true), ("`", "`", true), ("[", "]", true), ("--", "\n", false),
        ("/*", "*/", false),
    ]

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let blanks = Set(" \t\r\n\u{c}".utf8)

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
