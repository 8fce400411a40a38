import SwiftSyntax

/// An error keeps its cause, so that `why` shows the chain to the failing layer.
extension Rule {
    /// A new error in place of another has it as its cause.
    ///
    /// Code that handles one case, with `where` or by name, knows what the error says.
    static let errorCause = Rule("error-cause") { code in
        code.findings(at: CatchClauseSyntax.self) { clause, file in
            clause.handlesAny ? code.files[file].lostCause(clause.errorName, in: clause.body) : nil
        }
            + code.findings(at: SwitchCaseSyntax.self) { label, file in
                label.failure.flatMap { code.files[file].lostCause($0.name, in: label.statements) }
            }
            + code.findings(at: FunctionCallExprSyntax.self) { call, file in
                guard call.memberName == "mapError", let closure = call.trailingClosure else { return nil }
                let parameter = closure.signature?.parameterClause?.tokens.first { $0.text != "(" }
                guard closure.statements.loss(of: parameter?.text ?? "$0") != nil else { return nil }
                return (call, "'mapError' drops the error; pass it on as the new error's 'cause'")
            }
    }
}

extension CodeFile {
    /// The first new error that a block throws, or hands on as a failure, without the one that it handles.
    fileprivate func lostCause(_ name: String?, in block: some SyntaxProtocol) -> (
        place: any SyntaxProtocol, message: String
    )? {
        for node in block.descendants {
            guard let (error, subject) = passedOn(node), isNew(error), let loss = error.loss(of: name)
            else { continue }
            let advice = "pass it on as the new error's 'cause'"
            return (node, "this \(subject) \(loss) the error that it handles; \(advice)")
        }
        return nil
    }

    /// The error in a `throw`, in `resume(throwing: …)` or in `.failure(…)`.
    private func passedOn(_ node: Syntax) -> (error: ExprSyntax, subject: String)? {
        if let statement = node.as(ThrowStmtSyntax.self) { return (statement.expression, "throw") }
        if let argument = node.as(LabeledExprSyntax.self), argument.label?.text == "throwing" {
            return (argument.expression, "failure")
        }
        guard let call = node.as(FunctionCallExprSyntax.self), call.memberName == "failure",
            call.enclosing(ExpressionPatternSyntax.self) == nil
        else { return nil }
        return call.arguments.first.map { ($0.expression, "failure") }
    }

    /// True if an expression makes an error: it begins with a type, or with a member of an implicit one.
    private func isNew(_ error: ExprSyntax) -> Bool {
        guard let first = error.firstToken(viewMode: .sourceAccurate) else { return false }
        guard let symbol = symbol(at: first) else { return first.text == "." }
        return symbol.isType || [.typeAlias, .initializer].contains(symbol.kind)
    }
}

extension SyntaxProtocol {
    /// What code loses of the error that it handles; nil if it uses the error itself, not only its text.
    fileprivate func loss(of name: String?) -> String? {
        let uses = descendants.compactMap { $0.as(DeclReferenceExprSyntax.self) }
            .filter { $0.baseName.text == name && !$0.isMemberName }
        guard uses.allSatisfy(\.isTextOnly) else { return nil }
        return uses.isEmpty ? "drops" : "keeps only the text of"
    }
}

// MARK: - Code that handles errors

extension CatchClauseSyntax {
    /// The name that the error has in the body.
    var errorName: String? {
        guard let item = catchItems.first else { return "error" }
        return item.pattern?.as(ValueBindingPatternSyntax.self)?.pattern
            .firstToken(viewMode: .sourceAccurate)?.text
    }

    /// True if it does not pick out a single case.
    fileprivate var handlesAny: Bool {
        guard let item = catchItems.first else { return true }
        return catchItems.count == 1 && item.whereClause == nil
            && (item.pattern?.is(IsTypePatternSyntax.self) == true || errorName.map { $0 != "." } == true)
            && !item.tokens.contains { $0.text == "CancellationError" }
    }
}

extension SwitchCaseSyntax {
    struct Failure {
        let name: String?
    }

    /// The error of `case .failure`, `case .failure(_)` or `case .failure(let name)`.
    var failure: Failure? {
        guard case .case(let label) = label, let item = label.caseItems.first, item.whereClause == nil
        else { return nil }
        let words = item.pattern.tokens.map(\.text)
        guard words.starts(with: [".", "failure"]) else { return nil }
        if words.count == 2 || words[3] == "_" { return Failure(name: nil) }
        return words.count == 6 && words[3] == "let" ? Failure(name: words[4]) : nil
    }
}

extension FunctionCallExprSyntax {
    fileprivate var memberName: String? {
        calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    }
}

extension DeclReferenceExprSyntax {
    fileprivate var isMemberName: Bool { parent?.as(MemberAccessExprSyntax.self)?.declName.id == id }

    /// True if only a text made of the value is used.
    fileprivate var isTextOnly: Bool {
        if let member = parent?.as(MemberAccessExprSyntax.self) {
            return [
                "message", "hint", "localizedDescription", "description", "debugDescription",
                "errorDescription", "failureReason", "recoverySuggestion",
            ].contains(member.declName.baseName.text)
        }
        guard let argument = parent?.as(LabeledExprSyntax.self) else { return false }
        return ["describing", "reflecting"].contains(argument.label?.text)
            || argument.parent?.parent?.is(ExpressionSegmentSyntax.self) == true
    }
}
