import SwiftSyntax

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
        // The mangled type of a closure that does not escape ends in XE.
        let isEscaping = declared.symbol.kind == .parameter && !declared.symbol.usr.hasSuffix("XEvp")
        guard isOptional || isEscaping else { return false }
        return completionNames.contains(name) || name.hasSuffix("handler") && name != "handler"
            || closure.contains("Swift.Result<")
            || closure.split(separator: "Swift.Optional<", omittingEmptySubsequences: false).count > 2
            || closure.contains("Swift.Optional<Swift.Error>")
    }

    /// Only a view model changes its state.
    static let writableState = Rule("writable-state") { code in
        code.storedVariables.findings { variable in
            guard let owner = variable.parent.flatMap(code.type(around:)),
                code.declarations[owner]?.symbol.kind == .object,
                let layer = code.ownLayer(of: owner), [.viewModel, .aggregateModel].contains(layer),
                code.variable(variable)?.has("private", "fileprivate", "weak") == false
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
            return variable(declaration)?.isVariable == true
                && token(of: declaration)?.enclosing(PatternBindingSyntax.self)?.isStored == true
        }
    }

    /// The `let` or `var` of a property.
    func variable(_ property: some Located) -> VariableDeclSyntax? {
        token(of: property)?.enclosing(VariableDeclSyntax.self)
    }

    private func token(of element: some Located) -> TokenSyntax? {
        files[element.file].token(at: element.occurrence)
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
