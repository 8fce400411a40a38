/// Where rules, calculations and effects are: not in views, and business rules not in view models and services.
extension Rule {
    /// A view arranges what its view model holds.
    ///
    /// Found are calculations, comparisons with a threshold, the choice and order of rows, formats, the model's
    /// rules, and effects. Conditions on state, and comparisons with 0 and 1, are how things are shown.
    static let viewLogic = Rule("view-logic") { code in
        code.references.findings { reference in
            guard code.layer(of: reference) == .view, let problem = ViewLogic.problem(reference, in: code)
            else { return nil }
            return "a view \(problem); let its view model do that, and show what it holds"
        } + code.files.indices.flatMap { ViewLogic.ranges(in: $0, of: code) }
    }

    /// A view model checks fields and coordinates; what the business allows is decided below it.
    static let viewModelLogic = Rule("view-model-logic") { code in
        code.references.findings { reference in
            guard code.layer(of: reference) == .viewModel, let rule = BusinessRule(reference, in: code)
            else { return nil }
            return "a view model decides by \(rule.words); "
                + "let the repository, a use case or the model's 'validate' decide, and show its error"
        } + code.files.indices.flatMap { rangesOfRules(in: $0, of: code) }
    }

    /// The ranges of numbers to which a view model compares a model's property with a `case`.
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

    /// The part of ``serviceLogic`` that is no reference to a layer above.
    static func rulesInServices(in code: CodeBase) -> [Finding] {
        code.references.findings { reference in
            guard code.layer(of: reference) == .service, !isInMock(reference, in: code),
                let rule = BusinessRule(reference, in: code)
            else { return nil }
            return "a service decides by \(rule.words); "
                + "let the repository do that, before or after it asks the service"
        }
    }

    /// A mock stands for the server, whose rules it may have.
    private static func isInMock(_ reference: Reference, in code: CodeBase) -> Bool {
        reference.container.map(code.types(around:))?.contains { type in
            code.declarations[type]?.symbol.name.hasPrefix("Mock") == true
        } == true
    }
}

private enum ViewLogic {
    static func problem(_ reference: Reference, in code: CodeBase) -> String? {
        let symbol = reference.symbol
        if code.layer(of: symbol.usr) == .model, symbol.kind.isFunction, symbol.name.hasPrefix("validate") {
            return "asks for the rules of '\(code.name(of: reference))'"
        }
        if let index = code.files[reference.file].tokens.index(of: reference.occurrence),
            let problem = calculation(symbol, at: index, in: code.files[reference.file].tokens)
        {
            return problem
        }
        guard code.declarations[symbol.usr] == nil, let path = QualifiedName(usr: symbol.usr)?.foundationPath
        else {
            return nil
        }
        return function(symbol, path) ?? effect(symbol, path)
    }

    // MARK: - Operators

    private static let calculating: Set<String> = [
        "+", "-", "*", "/", "%", "&+", "&-", "&*", "+=", "-=", "*=", "/=", "%=", "<<", ">>",
    ]
    private static let joining = [
        "Swift.String", "Swift.Substring", "Swift.RangeReplaceableCollection", "Swift.Array", "Swift.Set",
    ]

    private static func calculation(_ symbol: Symbol, at index: Int, in tokens: Tokens) -> String? {
        guard let token = tokens[index], token.kind == .symbol,
            token.text == String(symbol.baseName) || symbol.name.hasPrefix(token.text)
        else { return nil }
        let isSmall = [tokens.text(index - 1), tokens.text(index + 1)].contains { ["0", "1"].contains($0) }
        switch token.text {
        case _ where calculating.contains(token.text):
            guard !isSmall, let path = QualifiedName(usr: symbol.usr)?.path,
                !joining.contains(where: { path.hasPrefix("\($0).") })
            else { return nil }
            return "calculates with '\(token.text)'"
        case "<", ">", "<=", ">=":
            return isSmall ? nil : "compares by '\(tokens.comparison(at: index))', which is a rule"
        case "==", "!=":
            let operands = [tokens[index - 1], tokens[index + 1]]
            let isRule = operands.contains { operand in
                operand?.kind == .number && !isSmall || operand?.kind == .string && operand?.text != ""
            }
            return isRule ? "compares by '\(tokens.comparison(at: index))', which is a rule" : nil
        case "~=" where !isSmall: return "compares by '\(tokens.comparison(at: index))', which is a rule"
        default: return nil
        }
    }

    /// The ranges of numbers that cases and `contains` compare with.
    static func ranges(in file: Int, of code: CodeBase) -> [Finding] {
        guard code.layer(ofFile: file) == .view else { return [] }
        let tokens = code.files[file].tokens
        return tokens.numberRanges.map { index in
            Finding(
                file: file, line: tokens.all[index].line, column: tokens.all[index].column,
                message:
                    "a view compares with the range of '\(tokens.comparison(at: index))', which is a rule; "
                    + "let its view model do that, and show what it holds")
        }
    }

    // MARK: - Functions

    private static let choosing: Set<Substring> = [
        "filter", "sorted", "sort", "reduce", "min", "max", "partition", "allSatisfy", "removeAll",
        "shuffled",
        "first(where:)",
    ]
    private static let formatting = [
        "Foundation.NumberFormatter", "Foundation.DateFormatter", "Foundation.ISO8601DateFormatter",
        "Foundation.DateComponentsFormatter", "Foundation.ByteCountFormatter",
        "Foundation.MeasurementFormatter",
        "Foundation.RelativeDateTimeFormatter", "Foundation.ListFormatter",
    ]

    private static func function(_ symbol: Symbol, _ path: String) -> String? {
        let isStandard = path.hasPrefix("Swift.")
        if isStandard, symbol.kind.isFunction || symbol.kind == .function, choosing.contains(symbol.baseName)
        {
            return "chooses or orders rows with '\(symbol.baseName)'"
        }
        if isStandard, symbol.name == "init(grouping:by:)" { return "groups rows" }
        if symbol.kind == .initializer, symbol.name.hasPrefix("init(format:") { return "formats values" }
        if symbol.kind == .instanceMethod, symbol.baseName == "formatted" { return "formats values" }
        return formatting.contains(path) ? "formats values with '\(symbol.name)'" : nil
    }

    // MARK: - Effects

    private static let effects: [String: String] = [
        "Foundation.Date.init": "reads the clock", "Foundation.Date.now": "reads the clock",
        "Foundation.Date.timeIntervalSinceNow": "reads the clock",
        "Foundation.Calendar.isDateInToday": "reads the clock",
        "Foundation.Calendar.isDateInYesterday": "reads the clock",
        "Foundation.Calendar.isDateInTomorrow": "reads the clock",
        "Swift.ContinuousClock.now": "reads the clock", "Swift.SuspendingClock.now": "reads the clock",
        "_Concurrency.ContinuousClock.now": "reads the clock",
        "Foundation.UUID.init": "makes identifiers", "Swift.print": "prints",
        "Foundation.FileManager": "uses files", "Foundation.FileHandle": "uses files",
        "Foundation.JSONDecoder": "decodes data", "Foundation.JSONEncoder": "encodes data",
        "Foundation.UserDefaults": "keeps settings",
    ]

    private static func effect(_ symbol: Symbol, _ path: String) -> String? {
        if ["random", "randomElement"].contains(symbol.baseName), path.hasPrefix("Swift.") {
            return "draws a random value"
        }
        // A date or an identifier that is made of a value is none of the moment.
        if symbol.kind == .initializer, symbol.name != "init()", !symbol.name.contains("SinceNow") {
            return nil
        }
        return effects[path]
    }
}

/// A comparison of a model's property with a fixed value, which is a rule of the business.
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

extension CodeBase {
    /// The symbol of a word: the first that occurs there and is no accessor.
    func symbol(in file: Int, at token: Token?) -> Symbol? {
        guard let token else { return nil }
        return files[file].symbols(line: token.line, column: token.column).first { !$0.isAccessor }
    }
}

extension Tokens {
    /// The operators of ranges with a limit besides 0 and 1 that a `case` or `contains` compares with.
    var numberRanges: [Int] {
        all.indices.filter { index in
            guard ["..<", "..."].contains(text(index)) else { return false }
            let limits = [self[index - 1], self[index + 1]].filter { $0?.kind == .number }
            guard limits.contains(where: { !["0", "1"].contains($0?.text) }) else { return false }
            let last = self[index + 1]?.kind == .number ? index + 1 : index
            let isCase = ["case", ","].contains(text(index - 1)) || text(index - 2) == "case"
            return isCase || text(last + 1) == ")" && text(last + 3) == "contains"
        }
    }

    /// A comparison as a message quotes it: the operator with its neighbours.
    func comparison(at index: Int) -> String {
        func isOperand(_ position: Int) -> Bool {
            guard let token = self[position] else { return false }
            return [.word, .number, .string, .close].contains(token.kind)
                && !["case", "in", "if"].contains(token.text)
        }
        let start = isOperand(index - 1) ? startOfChain(at: index - 1) : index
        let end =
            isOperand(index + 1) && self[index + 1]?.kind != .close ? endOfOperand(from: index + 1) : index
        guard end - start < 16 else { return text(index) }
        return (start...end).map { position in
            let token = all[position]
            let word = token.kind == .string ? "\"\(token.text)\"" : token.text
            let isSpaced = position == index && start < index && ![".", "..<", "..."].contains(token.text)
            return isSpaced ? " \(word) " : word
        }.joined()
    }

    /// The index of the last token of an operand: `a.b.c()`.
    func endOfOperand(from index: Int) -> Int {
        var end = index
        while true {
            if text(end + 1) == ".", self[end + 2]?.kind == .word {
                end += 2
            } else if text(end + 1) == "(" || text(end + 1) == "[", all[end + 1].line == all[end].line,
                let close = partner[end + 1]
            {
                end = close
            } else {
                return end
            }
        }
    }
}
