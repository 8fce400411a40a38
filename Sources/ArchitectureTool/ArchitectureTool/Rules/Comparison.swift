import SwiftSyntax

/// An operator with its operands.
struct Comparison {
    let sign: String
    let operands: [ExprSyntax]
    /// As in the source, or the operator alone if that is long.
    let text: String

    /// - Parameter token: An operator between two operands.
    init?(at token: TokenSyntax) {
        guard let sign = token.parent?.as(BinaryOperatorExprSyntax.self),
            let list = sign.parent?.as(ExprListSyntax.self)
        else { return nil }
        let elements = Array(list)
        guard let index = elements.firstIndex(where: { $0.id == sign.id }), index > 0,
            index + 1 < elements.count
        else { return nil }
        self.sign = token.text
        operands = [elements[index - 1], elements[index + 1]]
        let whole = operands.map(\.trimmedDescription).joined(separator: " \(token.text) ")
        text = whole.count < 80 && !whole.contains("\n") ? whole : token.text
    }

    var isOrder: Bool { ["<", ">", "<=", ">="].contains(sign) }
    var isEquality: Bool { ["==", "!="].contains(sign) }
    /// True if it compares with 0 or 1.
    var isSmall: Bool { operands.contains(where: \.isSmallNumber) }
}

/// A range with a limit besides 0 and 1 that a `case` or `contains` compares with.
struct ComparedRange {
    let text: String
    /// The subject of the `switch`; nil without one.
    let subject: ExprSyntax?

    init?(_ pattern: ExpressionPatternSyntax) {
        self.init(pattern.expression, subject: pattern.enclosing(SwitchExprSyntax.self)?.subject)
    }

    init?(_ call: FunctionCallExprSyntax) {
        guard let member = call.calledExpression.as(MemberAccessExprSyntax.self),
            member.declName.baseName.text == "contains",
            let tuple = member.base?.as(TupleExprSyntax.self), tuple.elements.count == 1,
            let range = tuple.elements.first?.expression
        else { return nil }
        self.init(range, subject: nil)
    }

    private init?(_ range: ExprSyntax, subject: ExprSyntax?) {
        let operators = range.tokens.filter { ["..<", "..."].contains($0.text) }
        guard operators.count == 1,
            range.descendants.contains(where: { $0.as(ExprSyntax.self)?.isLargeNumber == true })
        else { return nil }
        text = range.trimmedDescription
        self.subject = subject
    }
}

extension ExprSyntax {
    private var number: String? {
        self.as(IntegerLiteralExprSyntax.self)?.literal.text
            ?? self.as(FloatLiteralExprSyntax.self)?.literal.text
    }

    var isSmallNumber: Bool { number == "0" || number == "1" }
    var isLargeNumber: Bool { number != nil && !isSmallNumber }
    /// True if it is a string literal other than `""`.
    var isText: Bool {
        self.as(StringLiteralExprSyntax.self).map { $0.segments.trimmedDescription != "" } ?? false
    }
}
