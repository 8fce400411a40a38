import SwiftSyntax

/// Business rules belong in models, repositories and use cases.
extension Rule {
    /// A view model checks fields and coordinates; business decisions are made below it.
    static let viewModelLogic = Rule("view-model-logic") { code in
        func message(_ rule: String) -> String {
            "a view model decides by \(rule); "
                + "let the repository, a use case or the model's 'validate' decide, and show its error"
        }
        return code.references.findings { reference in
            guard code.layer(of: reference) == .viewModel else { return nil }
            return businessRule(reference, in: code).map(message)
        }
            + code.findings(at: ExpressionPatternSyntax.self, in: .viewModel) { pattern, file in
                guard let range = ComparedRange(pattern), let subject = range.subject,
                    code.holdsModelProperty(subject, in: file)
                else { return nil }
                return (pattern, message("the range '\(range.text)'"))
            }
    }

    /// The part of ``serviceLogic`` that does not concern references to a layer above.
    static func rulesInServices(in code: CodeBase) -> [Finding] {
        code.references.findings { reference in
            guard code.layer(of: reference) == .service, !isInMock(reference, in: code) else { return nil }
            return businessRule(reference, in: code).map {
                "a service decides by \($0); let the repository do that, before or after it asks the service"
            }
        }
    }

    /// A mock stands in for the server, so it may have the server's rules.
    private static func isInMock(_ reference: Reference, in code: CodeBase) -> Bool {
        reference.container.map(code.types(around:))?.contains { type in
            code.declarations[type]?.symbol.name.hasPrefix("Mock") == true
        } == true
    }

    /// The comparison of a model's property with a fixed value at a reference, which is a business rule.
    private static func businessRule(_ reference: Reference, in code: CodeBase) -> String? {
        let questions: Set<Substring> = ["contains", "hasPrefix", "hasSuffix"]
        let name = reference.symbol.baseName
        guard questions.contains(name) || name.allSatisfy("<>=!".contains),
            let token = code.files[reference.file].token(at: reference.occurrence)
        else { return nil }
        if let comparison = Comparison(at: token) {
            let (left, right) = (comparison.operands[0], comparison.operands[1])
            let isRule = [(left, right), (right, left)].contains { value, fixed in
                isFixed(fixed, for: comparison, in: reference.file, of: code)
                    && code.holdsModelProperty(value, in: reference.file)
            }
            return isRule ? "'\(comparison.text)'" : nil
        }
        guard questions.contains(name), let call = token.enclosing(FunctionCallExprSyntax.self),
            let member = call.calledExpression.as(MemberAccessExprSyntax.self), let text = member.base,
            let argument = call.arguments.first?.expression, argument.isText,
            code.holdsModelProperty(text, in: reference.file)
        else { return nil }
        return "'\(name)(\(argument.trimmedDescription))' of a model's text"
    }

    /// True for a number, a text, and a constant of the module that limits a value.
    private static func isFixed(
        _ operand: ExprSyntax, for comparison: Comparison, in file: Int, of code: CodeBase
    ) -> Bool {
        guard comparison.isOrder else {
            return comparison.isEquality && (operand.isLargeNumber || operand.isText)
        }
        if operand.isLargeNumber { return true }
        guard operand.is(DeclReferenceExprSyntax.self) || operand.is(MemberAccessExprSyntax.self),
            let symbol = operand.lastToken(viewMode: .sourceAccurate).flatMap(code.files[file].symbol(at:))
        else { return false }
        return [.staticProperty, .variable].contains(symbol.kind) && code.declarations[symbol.usr] != nil
    }
}

extension CodeBase {
    func holdsModelProperty(_ expression: ExprSyntax, in file: Int) -> Bool {
        files[file].symbols(in: expression).contains {
            $0.kind == .instanceProperty && layer(of: $0.usr) == .model
        }
    }
}
