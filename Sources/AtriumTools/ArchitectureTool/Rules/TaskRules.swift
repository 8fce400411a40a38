/// Work that runs beside the rest of the module.
extension Rule {
    /// Every task has an owner, which cancels it.
    ///
    /// A task whose handle is dropped runs on when its screen or its module is gone, and nobody can name it.
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
                isDropped(reference, in: code.files[reference.file].tokens)
            else { return nil }
            return symbol.kind == .initializer ? "Task" : "Task.\(symbol.baseName)"
        }
        guard let functions = threads[symbol.baseName], let path = QualifiedName(usr: symbol.usr)?.path
        else { return nil }
        return functions.first { path == "\($0).\(symbol.baseName)" }.map { owner in
            "\(owner.split(separator: ".").last ?? "").\(symbol.baseName)".replacing(".init", with: "")
        }
    }

    private static let taskFunctions: Set<Substring> = ["detached", "immediate", "immediateDetached"]
    /// The types whose functions start work, by the function's name.
    private static let threads: [Substring: [String]] = [
        "async": ["Dispatch.DispatchQueue"], "asyncAfter": ["Dispatch.DispatchQueue"],
        "concurrentPerform": ["Dispatch.DispatchQueue"], "detachNewThread": ["Foundation.Thread"],
        "init": ["Foundation.Thread", "Foundation.Timer"],
        "addOperation": ["Foundation.OperationQueue"], "scheduledTimer": ["Foundation.Timer"],
    ]

    private static func isDropped(_ reference: Reference, in tokens: Tokens) -> Bool {
        guard let name = tokens.index(of: reference.occurrence) else { return false }
        // '.value' and the like use the task.
        let end = tokens.endOfCall(at: name)
        if tokens.text(end) == "." { return false }
        var start = tokens.startOfChain(at: name)
        while ["try", "await"].contains(tokens.text(start - 1)) { start -= 1 }
        if tokens.text(start - 1) == "=", tokens.text(start - 2) == "_" { return true }
        guard tokens.isStatementStart(start) else { return false }
        return !isReturned(from: start, to: end, in: tokens)
    }

    /// Whether the task is the only statement of a function or a closure that returns tasks.
    private static func isReturned(from start: Int, to end: Int, in tokens: Tokens) -> Bool {
        guard let open = tokens.brackets(around: start).first, tokens.text(end) == "}" else { return false }
        let isOnly = open == start - 1 || tokens.text(start - 1) == "in"
        let header = tokens.header(of: open)
        let signature = header.lastIndex(of: "->") ?? header.lastIndex(of: ":")
        return isOnly && signature.map { header[$0...].contains("Task") } == true
    }
}
