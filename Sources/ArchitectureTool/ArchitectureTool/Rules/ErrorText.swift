import SwiftSyntax

/// `LoadFailure` makes error texts for modules, the shell's printer for the host.
///
/// Foundation's texts say nothing ("The operation could not be completed."), and describing an error prints
/// its internals.
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
        code.files.indices.flatMap { index in
            let file = code.files[index]
            // The compiler generates the calls of an interpolation.
            return file.occurrences.filter { $0.roles.contains(.reference) }
                .map { Reference(file: index, occurrence: $0) }
                .findings { reference in
                    guard let value = describedValue(reference.occurrence, in: file),
                        let name = value.lastToken(viewMode: .sourceAccurate), isError(name, in: file, code)
                    else { return nil }
                    return "a text made of '\(value.trimmedDescription)' \(advice)"
                }
        }
    }

    /// The named value that becomes text at an occurrence of `String(describing:)` or of an interpolation.
    private static func describedValue(_ occurrence: Occurrence, in file: CodeFile) -> ExprSyntax? {
        let arguments: LabeledExprListSyntax?
        switch occurrence.symbol.usr {
        case "s:SS10describingSSx_tclufc", "s:SS10reflectingSSx_tclufc":
            arguments = file.token(at: occurrence)?.enclosing(FunctionCallExprSyntax.self)?.arguments
        // The overload for values without a description of their own.
        case "s:s26DefaultStringInterpolationV06appendC0yyxlF":
            arguments = file.token(at: occurrence)?.parent?.as(ExpressionSegmentSyntax.self)?.expressions
        default: return nil
        }
        guard let value = arguments?.first?.expression, arguments?.count == 1,
            value.is(DeclReferenceExprSyntax.self) || value.is(MemberAccessExprSyntax.self)
        else { return nil }
        return value
    }

    private static func isError(_ name: TokenSyntax, in file: CodeFile, _ code: CodeBase) -> Bool {
        guard let symbol = file.symbol(at: name) else { return isCaught(name) }
        guard let type = QualifiedName(usr: symbol.usr)?.type.map(QualifiedName.outermost) else {
            return false
        }
        if ["Swift.Error", "AtriumKit.ExplainedError"].contains(type) { return true }
        guard let usr = code.types[String(type)]?.usr else { return false }
        // Error, LocalizedError, ExplainedError: their own bases are not in this target's index.
        return code.allBases(of: usr).contains { $0.hasSuffix("ErrorP") }
    }

    /// True if a local name is the error of the `catch` or of the `.failure` around it.
    private static func isCaught(_ name: TokenSyntax) -> Bool {
        sequence(first: Syntax(name)) { $0.parent }.contains { node in
            node.as(CatchClauseSyntax.self)?.errorName == name.text
                || node.as(SwitchCaseSyntax.self)?.label.tokens.map(\.text)
                    == ["case", ".", "failure", "(", "let", name.text, ")", ":"]
        }
    }
}
