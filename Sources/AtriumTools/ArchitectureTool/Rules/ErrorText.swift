/// `LoadFailure` makes error texts for modules, the shell's printer for the host.
///
/// Foundation's texts say nothing ("The operation could not be completed."), and describing an error prints
/// its internals. Local variables are not in the index, so their names decide: `error`, `failure`, `cause`.
extension Rule {
    static let errorText = Rule("error-text", in: { _ in true }) { code in
        code.references.findings { reference in
            if let text = ErrorText.explanation(reference, in: code) {
                return "'\(text)' is read of an error that may have none; "
                    + "use 'LoadFailure(error)', which has one for each error"
            }
            return ErrorText.read(reference.symbol, in: code).map { "'\($0)' \(ErrorText.advice)" }
        }
            + ErrorText.made(in: code)
    }
}

private enum ErrorText {
    static let advice =
        "is no text for a person; "
        + "use 'LoadFailure(error).message', which shows what an error explains and nothing else"

    // MARK: - Foundation's texts

    static func read(_ symbol: Symbol, in code: CodeBase) -> String? {
        guard symbol.kind == .instanceProperty else { return nil }
        if symbol.name == "localizedDescription", code.declarations[symbol.usr] == nil {
            return symbol.name
        }
        guard ["errorDescription", "failureReason", "recoverySuggestion"].contains(symbol.name) else {
            return nil
        }
        return isLocalizedError(symbol, in: code) ? symbol.name : nil
    }

    /// The sentence of any explained error, which view models and views show as a `LoadFailure`.
    static func explanation(_ reference: Reference, in code: CodeBase) -> String? {
        guard reference.symbol.usr.hasPrefix("s:9AtriumKit14ExplainedErrorP"),
            reference.symbol.kind == .instanceProperty,
            ["message", "hint"].contains(reference.symbol.name),
            [.view, .viewModel, .aggregateModel].contains(code.layer(of: reference))
        else { return nil }
        return reference.symbol.name
    }

    private static func isLocalizedError(_ symbol: Symbol, in code: CodeBase) -> Bool {
        if let declaration = code.declarations[symbol.usr] {
            return declaration.occurrence.related(.overrideOf)?.usr.contains("LocalizedError") == true
        }
        return symbol.usr.contains("LocalizedError")
    }

    // MARK: - Texts made of errors

    static func made(in code: CodeBase) -> [Finding] {
        code.files.enumerated().flatMap { index, file in
            file.occurrences.compactMap { occurrence in
                guard let text = describedText(occurrence, in: file),
                    let value = text.firstMatch(of: /^\(\s*(?:(?:describing|reflecting):\s*)?([\w.]+)\s*\)/),
                    isError(value.output.1, at: occurrence, in: file, code)
                else { return nil }
                return Finding(
                    file: index, line: occurrence.line, column: occurrence.column,
                    message: "a text made of '\(value.output.1)' \(advice)")
            }
        }
    }

    /// The text from the parenthesis on, if the occurrence turns a value into text.
    private static func describedText(_ occurrence: Occurrence, in file: CodeFile) -> Substring? {
        guard occurrence.roles.contains(.reference) else { return nil }
        switch occurrence.symbol.usr {
        case "s:SS10describingSSx_tclufc", "s:SS10reflectingSSx_tclufc":
            return file.text(at: occurrence).drop { $0 != "(" }
        case let usr where usr.hasPrefix("s:s26DefaultStringInterpolationV06appendC0"):
            return file.text(at: occurrence)
        default: return nil
        }
    }

    private static func isError(_ value: Substring, at use: Occurrence, in file: CodeFile, _ code: CodeBase)
        -> Bool
    {
        let last = value.split(separator: ".").last ?? value
        let declared = file.occurrences.first { occurrence in
            occurrence.line == use.line && occurrence.column > use.column
                && occurrence.symbol.name == last
                && (occurrence.symbol.kind == .parameter || occurrence.symbol.kind == .instanceProperty)
        }
        guard let declared else {
            return ["error", "failure", "cause"].contains(last)
                || file.tokens.isCaught(String(value), at: use)
        }
        guard let type = QualifiedName(usr: declared.symbol.usr)?.type else { return false }
        return isError(type: String(QualifiedName.outermost(type)), in: code)
    }

    private static func isError(type: String, in code: CodeBase) -> Bool {
        if ["Swift.Error", "AtriumKit.ExplainedError"].contains(type) { return true }
        guard let usr = code.types[type]?.usr else { return false }
        // Error, LocalizedError, ExplainedError: their own bases are not in this target's index.
        return code.allBases(of: usr).contains { $0.hasSuffix("ErrorP") }
    }
}

extension Tokens {
    /// True if a name is the error of the `catch` or of the `.failure` around it.
    fileprivate func isCaught(_ name: String, at use: Occurrence) -> Bool {
        guard
            let index = index(of: use)
                ?? all.firstIndex(where: { ($0.line, $0.column) >= (use.line, use.column) })
        else { return false }
        return brackets(around: index).contains { open in
            guard text(open) == "{" else { return false }
            let words = header(of: open)
            let isCatch = words.contains("catch") && words.contains(name)
            return isCatch
                || (open..<index).contains { position in
                    text(position) == "failure" && text(position + 1) == "(" && text(position + 3) == name
                }
        }
    }
}
