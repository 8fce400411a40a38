import SwiftParser
import SwiftSyntax

extension SyntaxProtocol {
    /// The nodes of a type below this one, in the order of the source.
    func all<Node: SyntaxProtocol>(_ type: Node.Type) -> [Node] {
        var found: [Node] = []
        func add(_ node: Syntax) {
            for child in node.children(viewMode: .sourceAccurate) {
                if let match = child.as(type) { found.append(match) }
                add(child)
            }
        }
        add(Syntax(self))
        return found
    }
}

extension PatternBindingSyntax {
    /// The initial value, or the only expression of the getter.
    var value: ExprSyntax? {
        if let initial = initializer?.value { return initial }
        guard case .getter(let statements)? = accessorBlock?.accessors, statements.count == 1,
            let only = statements.first?.item
        else { return nil }
        return only.as(ExprSyntax.self) ?? only.as(ReturnStmtSyntax.self)?.expression
    }
}

extension ExprSyntax {
    /// The text of a string literal without interpolation, also as the only argument of an initializer, as in
    /// `LinkPattern(stringLiteral: "books")`.
    var literalText: String? {
        if let literal = self.as(StringLiteralExprSyntax.self) { return literal.representedLiteralValue }
        guard let call = self.as(FunctionCallExprSyntax.self), call.isInitializer,
            call.arguments.count == 1, let only = call.arguments.first,
            [nil, "stringLiteral"].contains(only.label?.text)
        else { return nil }
        return only.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    }
}

extension FunctionCallExprSyntax {
    /// The last name of what is called: `screen` in `registry.screen(…)`.
    var calledName: TokenSyntax? {
        if let access = calledExpression.as(MemberAccessExprSyntax.self) { return access.declName.baseName }
        return calledExpression.as(DeclReferenceExprSyntax.self)?.baseName
    }

    /// True for `LinkPattern(…)` and `.init(…)`.
    var isInitializer: Bool {
        calledName.map { $0.text == "init" || $0.text.first?.isUppercase == true } ?? false
    }
}
