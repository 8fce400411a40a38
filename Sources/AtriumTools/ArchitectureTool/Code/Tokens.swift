/// A word, number, operator, string or bracket of a source file; comments are left out.
struct Token {
    enum Kind {
        case word
        case number
        case symbol
        /// The text of a string up to its end, or to an interpolation.
        case string
        case open
        case close
    }

    let kind: Kind
    /// For a string, its content; for an interpolation's bracket, `\(`.
    let text: String
    let line: Int
    /// In bytes, from 1.
    let column: Int
}

/// A source file as tokens, for facts that the index lacks: statements, operators, conditions.
///
/// Knows no grammar. Includes code under `#if` that was not compiled.
struct Tokens {
    private(set) var all: [Token] = []
    /// The index of the other bracket of each pair.
    private(set) var partner: [Int: Int] = [:]
    private var byPosition: [Int: Int] = [:]

    init(of data: some Collection<UInt8>) {
        var lexer = Lexer(Array(data))
        lexer.run()
        all = lexer.tokens
        var open: [Int] = []
        for (index, token) in all.enumerated() {
            byPosition[Self.key(token.line, token.column)] = index
            if token.kind == .open { open.append(index) }
            if token.kind == .close, let start = open.popLast() {
                (partner[start], partner[index]) = (index, start)
            }
        }
    }

    subscript(index: Int) -> Token? { all.indices.contains(index) ? all[index] : nil }

    func text(_ index: Int) -> String { self[index]?.text ?? "" }

    /// The index of the token at which a symbol occurs.
    func index(of occurrence: Occurrence) -> Int? {
        byPosition[Self.key(occurrence.line, occurrence.column)]
    }

    private static func key(_ line: Int, _ column: Int) -> Int { line << 16 | min(column, 0xFFFF) }

    /// The indices of the brackets around a token, innermost first.
    func brackets(around index: Int) -> [Int] {
        var found: [Int] = []
        var index = index - 1
        while index >= 0 {
            if all[index].kind == .close, let start = partner[index] {
                index = start
            } else if all[index].kind == .open {
                found.append(index)
            }
            index -= 1
        }
        return found
    }

    /// The index of the first token of the expression that ends with, or contains, the token at `index`: for
    /// `c` or `b` in `try await a.b(c)`, that of `try`.
    func startOfChain(at index: Int) -> Int {
        var start = startOfPart(at: index)
        while text(start - 1) == "." {
            var owner = start - 2
            while ["?", "!"].contains(text(owner)) { owner -= 1 }
            guard let token = self[owner],
                [.word, .close, .number, .string].contains(token.kind) || token.text == ">"
            else { return start - 1 }
            start = startOfPart(at: owner)
        }
        return start
    }

    /// The index of the first token of a part of a chain: for `a(b)`, `a[b]`, `a<B>` and `a { b }`, that of
    /// `a`.
    private func startOfPart(at index: Int) -> Int {
        var index = index
        while true {
            if self[index]?.kind == .close, let open = partner[index] {
                let isArgument =
                    self[open - 1]?.kind == .word || self[open - 1]?.kind == .close || text(open - 1) == ">"
                guard isArgument, all[open - 1].line == all[open].line,
                    text(open) != "{" || text(open - 1) != "="
                else {
                    return open
                }
                index = open - 1
            } else if text(index) == ">" {
                var (depth, start) = (0, index)
                repeat {
                    depth += text(start).count { $0 == ">" } - (text(start) == "->" ? 1 : 0)
                    depth -= text(start).count { $0 == "<" }
                    start -= 1
                } while depth > 0 && self[start] != nil
                guard self[start]?.kind == .word else { return index }
                return start
            } else {
                return index
            }
        }
    }
}
