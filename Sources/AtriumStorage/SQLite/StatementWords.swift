/// The words of a statement: its keywords and plain names, without quoted texts, quoted names and comments.
enum StatementWords {
    /// Returns them in lower case.
    static func of(_ sql: String) -> Set<String> {
        // By bytes, as SQLite: a character may join a quote or the end of a line with what follows.
        var (words, rest) = (Set<String>(), Array(sql.utf8)[...])
        while !rest.isEmpty {
            if let quote = quotes.first(where: { rest.starts(with: $0.start.utf8) }) {
                rest = rest.dropFirst(quote.start.utf8.count)
                rest = rest.firstRange(of: Array(quote.end.utf8)).map { rest[$0.upperBound...] } ?? []
            } else {
                let word = rest.prefix(while: isPart)
                if !word.isEmpty { words.insert(String(decoding: word, as: UTF8.self).lowercased()) }
                rest = rest.dropFirst(max(1, word.count))
            }
        }
        return words
    }

    /// A doubled quote ends one text and starts another.
    private static let quotes: [(start: String, end: String)] = [
        ("'", "'"), ("\"", "\""), ("`", "`"), ("[", "]"), ("--", "\n"), ("/*", "*/"),
    ]

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
