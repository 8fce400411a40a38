import SwiftParser
import SwiftSyntax

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

/// The documentation comment before a declaration.
struct DocumentationComment {
    private var lines: [String] = []

    init(_ trivia: Trivia) {
        for piece in trivia {
            switch piece {
            case .docLineComment(let text): lines.append(String(text.dropFirst(3)))
            case .docBlockComment(let text): lines = Self.lines(ofBlock: text)
            case .newlines(let count) where count > 1: lines = []
            default: break
            }
        }
    }

    /// The first sentence of the first paragraph, without its full stop and without the marks of code.
    var firstSentence: String? {
        let paragraph = lines.map(\.trimmed).drop { $0.isEmpty }.prefix { !$0.isEmpty }
        var text = paragraph.joined(separator: " ").replacing("`", with: "")
        if let end = text.firstRange(of: ". ") { text.removeSubrange(end.lowerBound...) }
        if text.hasSuffix(".") { text.removeLast() }
        return text.isEmpty ? nil : text
    }

    private static func lines(ofBlock text: String) -> [String] {
        text.dropFirst(3).dropLast(2).split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let line = String(line).trimmed
            return line.hasPrefix("*") ? String(line.dropFirst()) : line
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.prefix(start.count - start.reversed().prefix(while: \.isWhitespace).count))
    }
}
