/// Restrictions on views, which only arrange what their view model holds.
extension Rule {
    /// A view arranges what its view model holds.
    ///
    /// Finds calculations, comparisons with a threshold, filtering and sorting of rows, formats, the model's
    /// rules, and effects. Conditions on state, and comparisons with 0 and 1, are presentation.
    static let viewLogic = Rule("view-logic") { code in
        code.references.findings { reference in
            guard code.layer(of: reference) == .view, let problem = ViewLogic.problem(reference, in: code)
            else { return nil }
            return "a view \(problem); let its view model do that, and show what it holds"
        } + code.files.indices.flatMap { ViewLogic.ranges(in: $0, of: code) }
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

    /// The number ranges that `case` and `contains` compare with.
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
        // A date or identifier made from a value does not depend on the current moment.
        if symbol.kind == .initializer, symbol.name != "init()", !symbol.name.contains("SinceNow") {
            return nil
        }
        return effects[path]
    }
}
