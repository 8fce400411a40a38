import SwiftSyntax

extension Rule {
    /// A new error in place of another has it as its cause, so that `why` shows the chain to the failing layer.
    ///
    /// Code that handles one case, with `where` or by name, knows what the error says.
    static let errorCause = Rule("error-cause") { code in
        code.findings(at: ThrowStmtSyntax.self) { statement, file in
            guard let clause = statement.enclosing(CatchClauseSyntax.self), clause.handlesAny,
                let first = statement.expression.firstToken(viewMode: .sourceAccurate),
                code.files[file].makesError(first),
                !statement.tokens.contains(where: { $0.text == clause.errorName })
            else { return nil }
            return (
                statement,
                "this throw drops the error that it handles; pass it on as the new error's 'cause'"
            )
        }
    }
}

extension CodeFile {
    /// True if an expression begins with a type, or with a member of an implicit one.
    fileprivate func makesError(_ first: TokenSyntax) -> Bool {
        guard let symbol = symbol(at: first) else { return first.text == "." }
        return symbol.isType || [.typeAlias, .initializer].contains(symbol.kind)
    }
}

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
        let isType = item.pattern?.is(IsTypePatternSyntax.self) == true
        return catchItems.count == 1 && item.whereClause == nil
            && (isType || errorName.map { $0 != "." } == true)
            && !item.tokens.contains { $0.text == "CancellationError" }
    }
}
