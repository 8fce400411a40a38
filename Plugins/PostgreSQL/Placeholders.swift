/// A statement with `$1`, `$2`, … in place of `?`.
struct NumberedStatement {
    let sql: String
    let parameterCount: Int

    /// Leaves `?` unchanged in texts, quoted names, comments and bodies in dollar quotes.
    init(_ statement: String) {
        var scanner = StatementScanner(statement)
        scanner.scan()
        sql = String(decoding: scanner.output, as: UTF8.self)
        parameterCount = scanner.count
    }
}

private struct StatementScanner {
    private let input: [UInt8]
    private var index = 0
    private(set) var output: [UInt8] = []
    private(set) var count = 0

    init(_ statement: String) {
        input = Array(statement.utf8)
        output.reserveCapacity(input.count + 16)
    }

    mutating func scan() {
        while index < input.count {
            switch input[index] {
            case UInt8(ascii: "?"):
                count += 1
                output += "$\(count)".utf8
                index += 1
            case UInt8(ascii: "'"): copyQuoted(by: input[index], escapes: isEscapeText)
            case UInt8(ascii: "\""): copyQuoted(by: input[index], escapes: false)
            case UInt8(ascii: "-") where follows("-"): copy { $0 == UInt8(ascii: "\n") }
            case UInt8(ascii: "/") where follows("*"): copyComment()
            case UInt8(ascii: "$") where !isInName: copyDollarQuoted()
            default: copyOne()
            }
        }
    }

    private func follows(_ character: Unicode.Scalar) -> Bool {
        index + 1 < input.count && input[index + 1] == UInt8(ascii: character)
    }

    /// True if the byte before belongs to a name, as in `E'…'` and `a$b`.
    private var isInName: Bool { index > 0 && Self.isNameByte(input[index - 1]) }

    /// True if a quote begins a text `E'…'`, in which backslashes escape.
    private var isEscapeText: Bool {
        guard index > 0, input[index - 1] | 0x20 == UInt8(ascii: "e") else { return false }
        return index == 1 || !Self.isNameByte(input[index - 2])
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private mutating func copyOne() {
        output.append(input[index])
        index += 1
    }

    /// Copies up to a byte that satisfies `isEnd`, or the end.
    private mutating func copy(until isEnd: (UInt8) -> Bool) {
        while index < input.count, !isEnd(input[index]) { copyOne() }
    }

    private mutating func copyQuoted(by quote: UInt8, escapes: Bool) {
        copyOne()
        while index < input.count {
            let byte = input[index]
            copyOne()
            if escapes, byte == UInt8(ascii: "\\"), index < input.count {
                copyOne()
            } else if byte == quote {
                // A doubled quote continues as the next text.
                return
            }
        }
    }

    /// Copies a comment; SQL comments can be nested.
    private mutating func copyComment() {
        var depth = 0
        repeat {
            if index + 1 < input.count, input[index] == UInt8(ascii: "/"),
                input[index + 1] == UInt8(ascii: "*")
            {
                depth += 1
                copyOne()
            } else if index + 1 < input.count, input[index] == UInt8(ascii: "*"),
                input[index + 1] == UInt8(ascii: "/")
            {
                depth -= 1
                copyOne()
            }
            copyOne()
        } while depth > 0 && index < input.count
    }

    /// Copies `$tag$ … $tag$`, or a single `$`.
    private mutating func copyDollarQuoted() {
        var end = index + 1
        while end < input.count, Self.isNameByte(input[end]), input[end] != UInt8(ascii: "$") { end += 1 }
        guard end < input.count, input[end] == UInt8(ascii: "$") else { return copyOne() }
        let tag = Array(input[index...end])
        for _ in tag { copyOne() }
        while index < input.count {
            if input[index...].starts(with: tag) {
                for _ in tag { copyOne() }
                return
            }
            copyOne()
        }
    }
}
