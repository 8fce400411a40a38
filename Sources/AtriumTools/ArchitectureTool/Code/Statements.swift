/// Questions about statements, which the index does not answer.
extension Tokens {
    /// Words and operators after which an expression continues.
    private static let continuing: Set<String> = ["return", "throw", "try", "await", "in", "else", "where"]

    /// True if a statement begins with the token at `index`.
    func isStatementStart(_ index: Int) -> Bool {
        guard let token = self[index], let before = self[index - 1] else { return true }
        switch before.kind {
        case .open: return before.text == "{"
        case .string, .number: return before.line < token.line
        case .close: return before.line < token.line || before.text == "}"
        case .word: return ["in", "else"].contains(before.text) || isNewStatement(before, token)
        case .symbol:
            if before.text == ":" { return isBehindCase(index - 1) }
            return before.text == ";"
                || ["?", "!", ">", ">>", ">?"].contains(before.text) && before.line < token.line
        }
    }

    private func isNewStatement(_ before: Token, _ token: Token) -> Bool {
        before.line < token.line && !Self.continuing.contains(before.text)
    }

    /// True if a colon ends the label of a `case`, and is not part of a type, argument or condition.
    private func isBehindCase(_ colon: Int) -> Bool {
        var index = colon - 1
        while let token = self[index] {
            if token.kind == .close, let start = partner[index] {
                index = start - 1
                continue
            }
            if token.kind == .open || token.text == "?" { return false }
            if token.text == "case" || token.text == "default" { return true }
            index -= 1
        }
        return false
    }

    /// The index after the statement that contains the token at `index`.
    func endOfStatement(from index: Int) -> Int {
        var index = index
        while let token = self[index] {
            if token.kind == .close || token.text == ";" { return index }
            index = token.kind == .open ? (partner[index] ?? index) + 1 : index + 1
            guard let next = self[index], let last = self[index - 1] else { return index }
            guard next.line > last.line else { continue }
            let isContinued =
                [".", "?", ":"].contains(next.text)
                || next.kind == .symbol && !["@", "#"].contains(next.text)
                || next.text == "as" || last.kind == .symbol && !["!", "?", ">"].contains(last.text)
                || Self.continuing.contains(last.text) || last.text == "as"
            if !isContinued { return index }
        }
        return index
    }

    /// The index after a call: its generic arguments, arguments and trailing closures.
    func endOfCall(at index: Int) -> Int {
        var next = index + 1
        if text(next) == "<" {
            var depth = 0
            while let token = self[next], depth > 0 || token.text == "<" {
                depth +=
                    token.text.count { $0 == "<" } - (token.text == "->" ? 0 : token.text.count { $0 == ">" })
                next += 1
                if depth <= 0 { break }
            }
        }
        if text(next) == "(" { next = (partner[next] ?? next) + 1 }
        while text(next) == "{" || self[next]?.kind == .word && text(next + 1) == ":" && text(next + 2) == "{"
        {
            let open = text(next) == "{" ? next : next + 2
            next = (partner[open] ?? open) + 1
        }
        return next
    }

    /// The words between the last statement and an opening bracket: the header of the block.
    func header(of open: Int) -> [String] {
        var words: [String] = []
        var index = open - 1
        while let token = self[index], !["{", "}", ";"].contains(token.text), words.count < 80 {
            words.append(token.text)
            if token.text == "func" || token.text == "var" { break }
            index -= 1
        }
        return words.reversed()
    }

    /// True if a type is named by a `typealias`, which declares and uses nothing.
    func isInAlias(_ occurrence: Occurrence) -> Bool {
        guard var index = index(of: occurrence) else { return false }
        while let token = self[index], token.line >= occurrence.line - 1,
            !["{", "}", ";"].contains(token.text)
        {
            if token.text == "typealias" { return true }
            index -= 1
        }
        return false
    }
}

// MARK: - Comparisons

extension Tokens {
    /// The operators of ranges with a limit besides 0 and 1 that a `case` or `contains` compares with.
    var numberRanges: [Int] {
        all.indices.filter { index in
            guard ["..<", "..."].contains(text(index)) else { return false }
            let limits = [self[index - 1], self[index + 1]].filter { $0?.kind == .number }
            guard limits.contains(where: { !["0", "1"].contains($0?.text) }) else { return false }
            let last = self[index + 1]?.kind == .number ? index + 1 : index
            let isCase = ["case", ","].contains(text(index - 1)) || text(index - 2) == "case"
            return isCase || text(last + 1) == ")" && text(last + 3) == "contains"
        }
    }

    /// A comparison as a message quotes it: the operator with its neighbours.
    func comparison(at index: Int) -> String {
        func isOperand(_ position: Int) -> Bool {
            guard let token = self[position] else { return false }
            return [.word, .number, .string, .close].contains(token.kind)
                && !["case", "in", "if"].contains(token.text)
        }
        let start = isOperand(index - 1) ? startOfChain(at: index - 1) : index
        let end =
            isOperand(index + 1) && self[index + 1]?.kind != .close ? endOfOperand(from: index + 1) : index
        guard end - start < 16 else { return text(index) }
        return (start...end).map { position in
            let token = all[position]
            let word = token.kind == .string ? "\"\(token.text)\"" : token.text
            let isSpaced = position == index && start < index && ![".", "..<", "..."].contains(token.text)
            return isSpaced ? " \(word) " : word
        }.joined()
    }

    /// The index of the last token of an operand: `a.b.c()`.
    func endOfOperand(from index: Int) -> Int {
        var end = index
        while true {
            if text(end + 1) == ".", self[end + 2]?.kind == .word {
                end += 2
            } else if text(end + 1) == "(" || text(end + 1) == "[", all[end + 1].line == all[end].line,
                let close = partner[end + 1]
            {
                end = close
            } else {
                return end
            }
        }
    }
}
