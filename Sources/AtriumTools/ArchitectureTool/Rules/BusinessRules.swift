/// Business rules belong in models, repositories and use cases.
extension Rule {
    /// A view model checks fields and coordinates; business decisions are made below it.
    static let viewModelLogic = Rule("view-model-logic") { code in
        code.references.findings { reference in
            guard code.layer(of: reference) == .viewModel, let rule = BusinessRule(reference, in: code)
            else { return nil }
            return "a view model decides by \(rule.words); "
                + "let the repository, a use case or the model's 'validate' decide, and show its error"
        } + code.files.indices.flatMap { rangesOfRules(in: $0, of: code) }
    }

    /// The number ranges with which a view model compares a model's property in a `case`.
    private static func rangesOfRules(in file: Int, of code: CodeBase) -> [Finding] {
        guard code.layer(ofFile: file) == .viewModel else { return [] }
        let tokens = code.files[file].tokens
        return tokens.numberRanges.compactMap { index in
            guard let open = tokens.brackets(around: index).first,
                let start = (0..<open).last(where: { ["switch", "}", ";"].contains(tokens.text($0)) }),
                tokens.text(start) == "switch",
                (start..<open).contains(where: { index in
                    let symbol = code.symbol(in: file, at: tokens[index])
                    return symbol?.kind == .instanceProperty
                        && symbol.flatMap { code.layer(of: $0.usr) } == .model
                })
            else { return nil }
            return Finding(
                file: file, line: tokens.all[index].line, column: tokens.all[index].column,
                message: "a view model decides by the range '\(tokens.comparison(at: index))'; "
                    + "let the repository, a use case or the model's 'validate' decide, and show its error")
        }
    }

    /// The part of ``serviceLogic`` that does not concern references to a layer above.
    static func rulesInServices(in code: CodeBase) -> [Finding] {
        code.references.findings { reference in
            guard code.layer(of: reference) == .service, !isInMock(reference, in: code),
                let rule = BusinessRule(reference, in: code)
            else { return nil }
            return "a service decides by \(rule.words); "
                + "let the repository do that, before or after it asks the service"
        }
    }

    /// A mock stands in for the server, so it may have the server's rules.
    private static func isInMock(_ reference: Reference, in code: CodeBase) -> Bool {
        reference.container.map(code.types(around:))?.contains { type in
            code.declarations[type]?.symbol.name.hasPrefix("Mock") == true
        } == true
    }
}

/// A comparison of a model's property with a fixed value, which is a business rule.
private struct BusinessRule {
    let words: String

    init?(_ reference: Reference, in code: CodeBase) {
        let tokens = code.files[reference.file].tokens
        guard let index = tokens.index(of: reference.occurrence),
            let found = Self.comparison(reference, at: index, in: tokens, code)
                ?? Self.question(reference, at: index, in: tokens, code)
        else { return nil }
        words = found
    }

    private static func comparison(
        _ reference: Reference, at index: Int, in tokens: Tokens, _ code: CodeBase
    ) -> String? {
        let sign = tokens.text(index)
        guard tokens[index]?.kind == .symbol, ["<", ">", "<=", ">=", "==", "!="].contains(sign) else {
            return nil
        }
        let isOrder = !["==", "!="].contains(sign)
        func isFixed(_ operand: Int) -> Bool {
            guard let token = tokens[operand] else { return false }
            switch token.kind {
            case .number: return !["0", "1"].contains(token.text)
            case .string: return token.text != "" && !isOrder
            case .word: return isOrder && isConstant(reference.file, operand, in: tokens, code)
            default: return false
            }
        }
        let right = tokens.endOfOperand(from: index + 1)
        let isRule =
            isFixed(right)
            && holdsModelProperty(
                from: tokens.startOfChain(at: index - 1), to: index - 1, reference, tokens, code)
            || isFixed(index - 1) && holdsModelProperty(from: index + 1, to: right, reference, tokens, code)
        return isRule ? "'\(tokens.comparison(at: index))'" : nil
    }

    /// `contains("@company.com")` and the like on a model's property.
    private static func question(
        _ reference: Reference, at index: Int, in tokens: Tokens, _ code: CodeBase
    ) -> String? {
        guard ["contains", "hasPrefix", "hasSuffix"].contains(reference.symbol.baseName),
            tokens.text(index + 1) == "(", let text = tokens[index + 2], text.kind == .string,
            text.text != "",
            holdsModelProperty(from: tokens.startOfChain(at: index), to: index - 1, reference, tokens, code)
        else { return nil }
        return "'\(tokens.text(index))(\"\(text.text)\")' of a model's text"
    }

    private static func isConstant(_ file: Int, _ operand: Int, in tokens: Tokens, _ code: CodeBase) -> Bool {
        guard let symbol = code.symbol(in: file, at: tokens[operand]) else { return false }
        return [.staticProperty, .variable].contains(symbol.kind) && code.declarations[symbol.usr] != nil
    }

    private static func holdsModelProperty(
        from start: Int, to end: Int, _ reference: Reference, _ tokens: Tokens, _ code: CodeBase
    ) -> Bool {
        guard start <= end else { return false }
        return (start...end).contains { index in
            guard let symbol = code.symbol(in: reference.file, at: tokens[index]) else { return false }
            return symbol.kind == .instanceProperty && code.layer(of: symbol.usr) == .model
        }
    }
}
