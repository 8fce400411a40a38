import SwiftSyntax

/// Work that runs beside the rest of the module.
extension Rule {
    /// Every task has an owner that cancels it.
    ///
    /// A task whose handle is dropped keeps running after its screen or module was removed, and can't be
    /// cancelled.
    static let unownedTask = Rule(
        "unowned-task", in: { $0.role == .module(providesTransport: false) }
    ) { code in
        code.references.findings { reference in
            guard let name = startedWork(reference, in: code) else { return nil }
            return "'\(name)' starts work that nothing owns or cancels; "
                + "run it with 'tasks.run' of the view model's context, await it, or keep its handle"
        }
    }

    private static func startedWork(_ reference: Reference, in code: CodeBase) -> String? {
        let symbol = reference.symbol
        if symbol.usr == "c:@F@pthread_create" { return "pthread_create" }
        if symbol.usr.hasPrefix("s:ScT") {
            guard symbol.kind == .initializer || taskFunctions.contains(symbol.baseName),
                isDropped(reference, in: code.files[reference.file])
            else { return nil }
            return symbol.kind == .initializer ? "Task" : "Task.\(symbol.baseName)"
        }
        if returnsTask(symbol, in: code), isDropped(reference, in: code.files[reference.file]) {
            return symbol.name
        }
        guard let functions = threads[symbol.baseName],
            let path = QualifiedName(usr: symbol.usr)?.foundationPath
        else { return nil }
        return functions.first { path == "\($0).\(symbol.baseName)" }.map { owner in
            "\(owner.split(separator: ".").last ?? "").\(symbol.baseName)".replacing(".init", with: "")
        }
    }

    /// True if a function of this module returns the task that it starts.
    private static func returnsTask(_ symbol: Symbol, in code: CodeBase) -> Bool {
        symbol.kind.isFunction && !symbol.isAccessor && code.declarations[symbol.usr] != nil
            && QualifiedName.result(usr: symbol.usr)?.hasPrefix("Swift.Task<") == true
    }

    private static let taskFunctions: Set<Substring> = ["detached", "immediate", "immediateDetached"]
    /// The types whose functions start work, by function name.
    private static let threads: [Substring: [String]] = [
        "async": ["Dispatch.DispatchQueue"], "asyncAfter": ["Dispatch.DispatchQueue"],
        "concurrentPerform": ["Dispatch.DispatchQueue"], "detachNewThread": ["Foundation.Thread"],
        "init": ["Foundation.Thread", "Foundation.Timer"],
        "addOperation": ["Foundation.OperationQueue"], "scheduledTimer": ["Foundation.Timer"],
        "perform": ["Foundation.RunLoop"],
    ]

    private static func isDropped(_ reference: Reference, in file: CodeFile) -> Bool {
        guard let name = file.token(at: reference.occurrence)?.parent else { return false }
        let call = wholeExpression(of: name)
        guard let parent = call.parent else { return false }
        if let item = parent.as(CodeBlockItemSyntax.self) { return !item.isResult }
        if let list = parent.as(ExprListSyntax.self) {
            return list.count == 3 && list.first?.is(DiscardAssignmentExprSyntax.self) == true
        }
        guard let binding = parent.parent?.as(PatternBindingSyntax.self) else { return false }
        return isUnused(binding, in: file)
    }

    /// The call of a name, with what stands around it: `try await (A<B>.name { … })`.
    private static func wholeExpression(of name: Syntax) -> Syntax {
        var node = name
        while let parent = node.parent {
            let isPart =
                parent.as(MemberAccessExprSyntax.self)?.declName.id == node.id
                || parent.as(FunctionCallExprSyntax.self)?.calledExpression.id == node.id
                || parent.is(GenericSpecializationExprSyntax.self) || parent.is(TryExprSyntax.self)
                || parent.is(AwaitExprSyntax.self)
            if isPart {
                node = parent
            } else if let tuple = parent.parent?.parent?.as(TupleExprSyntax.self), tuple.elements.count == 1 {
                node = Syntax(tuple)
            } else {
                break
            }
        }
        return node
    }

    /// True if a task is bound to `_`, or to a local constant that is not used again.
    private static func isUnused(_ binding: PatternBindingSyntax, in file: CodeFile) -> Bool {
        if binding.pattern.is(WildcardPatternSyntax.self) { return true }
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
            file.symbol(at: name) == nil, let block = binding.enclosing(CodeBlockItemListSyntax.self)
        else { return false }
        return !block.tokens.contains { $0.text == name.text && $0.position > binding.endPosition }
    }
}

extension CodeBlockItemSyntax {
    /// True if it is the only statement of a function, property or closure with a result, and so its result.
    fileprivate var isResult: Bool {
        guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let block = list.parent
        else { return false }
        if let closure = block.as(ClosureExprSyntax.self) { return closure.signature?.returnClause != nil }
        if let function = block.parent?.as(FunctionDeclSyntax.self) {
            return function.signature.returnClause != nil
        }
        return block.is(AccessorBlockSyntax.self)
    }
}
