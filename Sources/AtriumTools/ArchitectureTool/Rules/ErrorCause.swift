/// An error keeps its cause, so that `why` shows the chain to the failing layer.
extension Rule {
    /// An error that replaces another has it as its cause.
    ///
    /// Finds, in code that handles any error: a new error without the old one or with only its text, and a
    /// fixed text in its place. Code that handles one case, with `where` or by name, knows what the error
    /// says.
    static let errorCause = Rule("error-cause") { code in
        code.files.indices.flatMap { file in
            let tokens = code.files[file].tokens
            return tokens.all.indices.compactMap { index in
                ErrorCause.problem(at: index, in: tokens).map { problem in
                    Finding(
                        file: file, line: tokens.all[problem.index].line,
                        column: tokens.all[problem.index].column,
                        message: problem.message)
                }
            }
        }
    }
}

private enum ErrorCause {
    typealias Problem = (index: Int, message: String)

    static func problem(at index: Int, in tokens: Tokens) -> Problem? {
        switch tokens.text(index) {
        case "catch" where tokens.text(index - 1) != ".": handler(at: index, in: tokens)
        case "guard": triedGuard(at: index, in: tokens)
        case "mapError": mapping(at: index, in: tokens)
        case "case": failureCase(at: index, in: tokens)
        default: nil
        }
    }

    // MARK: - The four ways to handle an error

    private static func handler(at index: Int, in tokens: Tokens) -> Problem? {
        var open = index + 1
        while let token = tokens[open], token.text != "{" {
            open = token.kind == .open ? (tokens.partner[open] ?? open) + 1 : open + 1
        }
        guard let end = tokens.partner[open] else { return nil }
        let pattern = tokens.all[(index + 1)..<open].map(\.text)
        guard !pattern.contains("where"), !pattern.contains("CancellationError") else { return nil }
        let binding = pattern.firstIndex { $0 == "let" || $0 == "var" }
        let isAny = pattern.isEmpty || binding == 0 && pattern.count == 2
        // Skip handlers that name a single case.
        guard isAny || pattern.first == "is" || binding == 0 else { return nil }
        let name = binding.map { pattern[$0 + 1] } ?? (pattern.isEmpty ? "error" : nil)
        return replacement(of: name, from: open + 1, to: end, in: tokens)
            ?? (isAny ? ownText(insteadOf: name, at: index, from: open + 1, to: end, in: tokens) : nil)
    }

    private static func triedGuard(at index: Int, in tokens: Tokens) -> Problem? {
        var next = index + 1
        var tries: Int?
        while let token = tokens[next], token.text != "else", token.text != "}" {
            if token.text == "try", tokens.text(next + 1) == "?" { tries = tries ?? next }
            if token.kind == .open, token.text == "(", let end = tokens.partner[next] {
                let inner = (next..<end).first { tokens.text($0) == "try" && tokens.text($0 + 1) == "?" }
                tries = tries ?? inner
            }
            next = token.kind == .open ? (tokens.partner[next] ?? next) + 1 : next + 1
        }
        guard tries != nil, tokens.text(next) == "else", tokens.text(next + 1) == "{",
            let end = tokens.partner[next + 1],
            // Invalid input is cause enough.
            !(next..<end).contains(where: { tokens.text($0).contains("Validation") })
        else { return nil }
        return replacement(of: nil, from: next + 2, to: end, in: tokens)
    }

    private static func mapping(at index: Int, in tokens: Tokens) -> Problem? {
        guard let open = [index + 1, index + 2].first(where: { tokens.text($0) == "{" }),
            let end = tokens.partner[open]
        else { return nil }
        let parameter = tokens.text(open + 1) == "(" ? open + 2 : open + 1
        let isNamed = (parameter..<min(parameter + 6, end)).contains { tokens.text($0) == "in" }
        let name = isNamed ? tokens.text(parameter) : "$0"
        guard !uses(name, from: isNamed ? parameter + 1 : open + 1, to: end, in: tokens) else { return nil }
        return (index, "'mapError' drops the error; \(advice("error"))")
    }

    private static func failureCase(at index: Int, in tokens: Tokens) -> Problem? {
        guard tokens.text(index + 1) == ".", tokens.text(index + 2) == "failure" else { return nil }
        var (next, name) = (index + 3, String?.none)
        if tokens.text(next) == "(", let end = tokens.partner[next] {
            let inside = tokens.all[(next + 1)..<end].map(\.text)
            guard inside == ["_"] || inside.count == 2 && inside[0] == "let" else { return nil }
            name = inside.count == 2 ? inside[1] : nil
            next = end + 1
        }
        guard tokens.text(next) == ":" else { return nil }
        var end = next + 1
        while let token = tokens[end], token.kind != .close, !["case", "default"].contains(token.text) {
            end = token.kind == .open ? (tokens.partner[end] ?? end) + 1 : end + 1
        }
        return replacement(of: name, from: next + 1, to: end, in: tokens)
    }

    // MARK: - Replacement errors

    private static func advice(_ name: String) -> String { "pass it on as the new error's 'cause'" }

    /// A new error that is thrown or passed on as a failure, without the one called `name`.
    private static func replacement(of name: String?, from start: Int, to end: Int, in tokens: Tokens)
        -> Problem?
    {
        var index = start
        while index < end {
            guard let made = madeError(at: index, before: end, in: tokens) else {
                index += 1
                continue
            }
            if makesError(made.lowerBound, in: tokens),
                !uses(name, from: made.lowerBound, to: made.upperBound, in: tokens)
            {
                let isText = name.map { name in made.contains { tokens.text($0) == name } } ?? false
                let problem = isText ? "keeps only the text of the error" : "drops the error"
                let subject = tokens.text(index) == "throw" ? "throw" : "failure"
                return (
                    index,
                    "this \(subject) \(problem) that it handles; \(advice(name ?? "error"))"
                )
            }
            index = max(made.upperBound, index + 1)
        }
        return nil
    }

    /// The expression after a `throw`, in `resume(throwing: …)` or in `.failure(…)`.
    private static func madeError(at index: Int, before end: Int, in tokens: Tokens) -> Range<Int>? {
        let isMember = tokens.text(index - 1) == "."
        switch tokens.text(index) {
        case "throw" where !isMember:
            return index + 1..<max(index + 1, min(tokens.endOfStatement(from: index + 1), end))
        case "throwing" where tokens.text(index + 1) == ":":
            guard let open = tokens.brackets(around: index).first, let close = tokens.partner[open] else {
                return nil
            }
            return index + 2..<max(index + 2, close)
        case "failure" where isMember && tokens.text(index + 1) == "(" && tokens.text(index - 2) != "case":
            return tokens.partner[index + 1].map { index + 2..<max(index + 2, $0) }
        default: return nil
        }
    }

    /// True if an expression makes an error: it begins with a type, or with a member of an implicit one.
    private static func makesError(_ index: Int, in tokens: Tokens) -> Bool {
        guard let first = tokens[index] else { return false }
        return first.text == "." || first.kind == .string
            || first.kind == .word && first.text.first?.isUppercase == true
    }

    private static func ownText(
        insteadOf name: String?, at index: Int, from start: Int, to end: Int, in tokens: Tokens
    ) -> Problem? {
        let block = start..<max(start, end)
        guard let name, !block.contains(where: { tokens.text($0) == "throw" }),
            !uses(name, from: start, to: end, in: tokens),
            !block.contains(where: { tokens.text($0) == name }),
            block.contains(where: { isShownText($0, in: tokens) })
        else { return nil }
        return (
            index,
            "a text of its own takes the place of the error; "
                + "show 'LoadFailure(\(name)).message', or throw an error that has it as its 'cause'"
        )
    }

    /// True if a string is shown to the user, not logged.
    private static func isShownText(_ index: Int, in tokens: Tokens) -> Bool {
        guard let token = tokens[index], token.kind == .string, token.text.contains(where: \.isLetter),
            let call = tokens.brackets(around: index).first
        else { return false }
        return tokens.text(call) != "(" || !tokens.text(tokens.startOfChain(at: call - 1)).hasPrefix("log")
    }

    private static let texts: Set<String> = [
        "message", "hint", "localizedDescription", "description", "debugDescription", "errorDescription",
        "failureReason", "recoverySuggestion",
    ]

    /// True if the error itself is used, and not only text made from it.
    private static func uses(_ name: String?, from start: Int, to end: Int, in tokens: Tokens) -> Bool {
        guard let name, start < end else { return false }
        return (start..<end).contains { index in
            guard tokens.text(index) == name, tokens[index]?.kind == .word, tokens.text(index - 1) != ".",
                tokens.text(index + 1) != ":"
            else { return false }
            let isText =
                tokens.text(index + 1) == "." && texts.contains(tokens.text(index + 2))
                || tokens.text(index - 1) == "\\(" && tokens.text(index + 1) == ")"
                || ["describing", "reflecting"].contains(tokens.text(index - 2))
                    && tokens.text(index - 1) == ":"
            return !isText
        }
    }
}
