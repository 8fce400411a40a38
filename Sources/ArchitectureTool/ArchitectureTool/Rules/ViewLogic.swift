import SwiftSyntax

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
        }
            + code.findings(at: ExpressionPatternSyntax.self, in: .view) { pattern, _ in
                ComparedRange(pattern).map { (pattern, ViewLogic.message($0)) }
            }
            + code.findings(at: FunctionCallExprSyntax.self, in: .view) { call, _ in
                ComparedRange(call).map { (call, ViewLogic.message($0)) }
            }
    }
}

private enum ViewLogic {
    static func problem(_ reference: Reference, in code: CodeBase) -> String? {
        let symbol = reference.symbol
        if code.layer(of: symbol.usr) == .model, symbol.kind.isFunction, symbol.name.hasPrefix("validate") {
            return "asks for the rules of '\(code.name(of: reference))'"
        }
        if let problem = calculation(reference, in: code) { return problem }
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
    private static let comparing: Set<String> = ["<", ">", "<=", ">=", "==", "!=", "~="]
    private static let joining = [
        "Swift.String", "Swift.Substring", "Swift.RangeReplaceableCollection", "Swift.Array", "Swift.Set",
    ]

    private static func calculation(_ reference: Reference, in code: CodeBase) -> String? {
        let symbol = reference.symbol
        let sign = String(symbol.baseName)
        guard calculating.contains(sign) || comparing.contains(sign),
            let token = code.files[reference.file].token(at: reference.occurrence)
        else { return nil }
        let comparison = Comparison(at: token)
        if calculating.contains(sign) {
            guard comparison?.isSmall != true, let path = QualifiedName(usr: symbol.usr)?.path,
                !joining.contains(where: { path.hasPrefix("\($0).") })
            else { return nil }
            return "calculates with '\(sign)'"
        }
        guard let comparison, !comparison.isSmall,
            comparison.isOrder || comparison.operands.contains(where: { $0.isLargeNumber || $0.isText })
        else { return nil }
        return "compares by '\(comparison.text)', which is a rule"
    }

    static func message(_ range: ComparedRange) -> String {
        "a view compares with the range of '\(range.text)', which is a rule; "
            + "let its view model do that, and show what it holds"
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
