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
        let tokens = file.tokens
        guard let name = tokens.index(of: reference.occurrence) else { return false }
        var end = tokens.endOfCall(at: name)
        var start = tokens.startOfChain(at: name)
        while ["try", "await"].contains(tokens.text(start - 1)) { start -= 1 }
        while tokens.text(start - 1) == "(", tokens.text(end) == ")", tokens.isStatementStart(start - 1) {
            (start, end) = (start - 1, end + 1)
        }
        // '.value' and other members use the task.
        if tokens.text(end) == "." { return false }
        if tokens.text(start - 1) == "=", tokens[start - 2]?.kind == .word {
            return isUnused(start - 2, from: end, in: tokens, code: file)
        }
        guard tokens.isStatementStart(start) else { return false }
        return !isReturned(from: start, to: end, in: tokens)
    }

    /// True if a task is assigned to `_`, or to a local constant that is not used again.
    private static func isUnused(_ name: Int, from end: Int, in tokens: Tokens, code file: CodeFile) -> Bool {
        if tokens.text(name) == "_" { return true }
        guard ["let", "var"].contains(tokens.text(name - 1)), let token = tokens[name],
            file.symbols(line: token.line, column: token.column).isEmpty,
            let block = tokens.brackets(around: name).first, let close = tokens.partner[block], end <= close
        else { return false }
        return !(end..<close).contains { tokens.text($0) == token.text }
    }

    /// True if the task is the only statement of a function or closure that returns tasks.
    private static func isReturned(from start: Int, to end: Int, in tokens: Tokens) -> Bool {
        guard let open = tokens.brackets(around: start).first, tokens.text(end) == "}" else { return false }
        let isOnly = open == start - 1 || tokens.text(start - 1) == "in"
        let header = tokens.header(of: open)
        let signature = header.lastIndex(of: "->") ?? header.lastIndex(of: ":")
        return isOnly && signature.map { header[$0...].contains("Task") } == true
    }
}
