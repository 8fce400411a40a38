/// Rules for how functions return and for what may change state.
extension Rule {
    /// An asynchronous function is `async`, rather than taking a completion handler.
    static let completionHandler = Rule("completion-handler", in: { _ in true }) { code in
        let parameters = code.declarations.values.filter { $0.symbol.kind == .parameter && !$0.isImplicit }
        let properties = code.storedProperties.map(\.declaration).filter {
            $0.symbol.kind == .instanceProperty
        }
        return (parameters + properties).findings { declared in
            guard isCompletion(declared, in: code) else { return nil }
            return "'\(declared.symbol.name)' is called when work ends; "
                + "write an 'async' function that returns the result or throws"
        }
    }

    private static let completionNames: Set<String> = [
        "completed", "done", "finish", "finished", "then", "andthen", "success", "failure", "oncomplete",
        "oncompletion", "oncompleted", "onsuccess", "onfailure", "onerror", "ondone", "onfinish",
        "onfinished",
        "onresult", "whendone", "reply", "respond",
    ]

    private static func isCompletion(_ declared: Declaration, in code: CodeBase) -> Bool {
        guard let whole = QualifiedName(usr: declared.symbol.usr)?.type else { return false }
        let type = whole.firstRange(of: " in ").map { String(whole[..<$0.lowerBound]) } ?? whole
        let isOptional = type.hasPrefix("Swift.Optional<")
        let closure = isOptional ? String(type.dropFirst("Swift.Optional<".count).dropLast()) : type
        guard closure.hasSuffix(") -> ()") else { return false }
        let name = declared.symbol.name.lowercased()
        if name.hasPrefix("completion") || name.hasSuffix("completion") || name.hasSuffix("callback") {
            return true
        }
        guard isOptional || isEscaping(declared, in: code) else { return false }
        return completionNames.contains(name) || name.hasSuffix("handler") && name != "handler"
            || closure.contains("Swift.Result<")
            || closure.split(separator: "Swift.Optional<", omittingEmptySubsequences: false).count > 2
            || closure.contains("Swift.Optional<Swift.Error>")
    }

    /// True if a parameter is declared `@escaping`.
    private static func isEscaping(_ declared: Declaration, in code: CodeBase) -> Bool {
        guard declared.symbol.kind == .parameter else { return false }
        let tokens = code.files[declared.file].tokens
        guard var index = tokens.index(of: declared.occurrence) else { return false }
        while let token = tokens[index], token.text != ",", token.kind != .close {
            if token.text == "escaping" { return true }
            index = token.kind == .open ? (tokens.partner[index] ?? index) + 1 : index + 1
        }
        return false
    }

    /// Only a view model changes its state.
    static let writableState = Rule("writable-state") { code in
        code.storedVariables.findings { variable in
            guard let owner = variable.parent.flatMap(code.type(around:)),
                code.declarations[owner]?.symbol.kind == .object,
                let layer = code.ownLayer(of: owner), [.viewModel, .aggregateModel].contains(layer),
                !code.files[variable.file].tokens.isPrivateOrWeak(variable.occurrence)
            else { return nil }
            return "'\(variable.symbol.name)' of \(layer.words) can be changed from outside; "
                + "write 'private(set) var', and a function for each way to change it"
        }
    }

    /// A view is rebuilt from its view model; state that it stores is lost or belongs to the view model.
    static let viewState = Rule("view-state") { code in
        code.storedVariables.findings { variable in
            guard let owner = variable.parent.flatMap(code.type(around:)), code.ownLayer(of: owner) == .view
            else { return nil }
            return "'\(variable.symbol.name)' is state in a view, which is built anew for each drawing; "
                + "keep it in the view model"
        }
    }
}

extension CodeBase {
    /// The stored instance properties declared with `var`.
    var storedVariables: [Declaration] {
        guard target.isModule else { return [] }
        return declarations.values.filter { declaration in
            guard declaration.symbol.kind == .instanceProperty, !declaration.isImplicit else { return false }
            return files[declaration.file].tokens.isStoredVariable(declaration.occurrence)
        }
    }

    /// The layer of the type around a reference; nil in the module's class.
    func ownLayer(of reference: Reference) -> Layer? {
        reference.container.flatMap { ownLayer(of: $0) }
    }

    /// The layer of a type by its registration or conformance, not by its folder.
    func ownLayer(of usr: String) -> Layer? {
        types(around: usr).first.flatMap(layer(ofType:))
    }
}

extension Tokens {
    /// True if the property is declared with `var` and is stored.
    func isStoredVariable(_ property: Occurrence) -> Bool {
        index(of: property).map { isStoredVariable(at: $0) } == true
    }

    func isStoredVariable(at name: Int) -> Bool {
        guard text(name - 1) == "var" else { return false }
        var next = name + 1
        if text(next) == ":" {
            next += 1
            while let token = self[next], token.text != "=", token.text != "{" {
                let last = all[next - 1]
                let isContinued =
                    last.kind == .symbol && ![">", "?", "!", ">?"].contains(last.text) || last.text == "any"
                if token.line > last.line, !isContinued || token.kind == .close { break }
                if token.kind == .close { break }
                next = token.kind == .open ? (partner[next] ?? next) + 1 : next + 1
            }
        }
        guard text(next) == "{" else { return true }
        return ["didSet", "willSet"].contains(text(next + 1))
    }

    /// True if a property can't be changed from outside, or is a delegate; its modifiers precede the name,
    /// possibly on other lines.
    func isPrivateOrWeak(_ property: Occurrence) -> Bool {
        guard let name = index(of: property) else { return false }
        var before = name - 1
        while let token = self[before], ![";", "{", "}"].contains(token.text), before > name - 12 {
            if ["private", "fileprivate", "weak"].contains(token.text) { return true }
            let isModifier =
                token.kind == .word || token.kind == .open || token.kind == .close || token.text == "@"
            if !isModifier || token.line < all[name].line - 3 { return false }
            before -= 1
        }
        return false
    }
}
