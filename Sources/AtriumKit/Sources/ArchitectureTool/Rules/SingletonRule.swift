/// The session and the list of flows are the only objects that everybody shares.
///
/// Looks at what is stored outside of instances: `static`, or outside of all types. An object there, or a
/// variable, or a lock around one, is a singleton.
struct SingletonRule: Rule {
    let name = "singleton"

    static let allowed: Set<String> = ["AtriumKit.SessionManager", "AtriumKit.FlowManager"]

    private let advice =
        "register it as 'shared', so that each generation has its own and tests can replace it"

    func violations(in code: CodeBase) -> [Violation] {
        guard code.target.role != .host else { return [] }
        return code.storedGlobals.compactMap { global in
            problem(global, in: code).map { problem in
                violation(at: global.declaration, "'\(global.declaration.symbol.name)' \(problem); \(advice)")
            }
        }
    }

    private func problem(_ global: StoredGlobal, in code: CodeBase) -> String? {
        if let kept = code.sharedObject(in: global) {
            return Self.allowed.contains(kept.type) ? nil : "is one \(kept.words) for everybody"
        }
        let (file, place) = (code.files[global.declaration.file], global.declaration.occurrence)
        return file.word(before: place) == "var" ? "can be changed by everybody" : nil
    }
}

/// A stored property that belongs to no instance.
struct StoredGlobal {
    let declaration: Declaration
    /// Its type, as the compiler tells it.
    let type: String
}

extension CodeBase {
    /// What is stored `static`, or outside of all types.
    var storedGlobals: [StoredGlobal] {
        storedProperties.filter(\.declaration.symbol.kind.isGlobal)
    }

    /// All properties that are stored: their getter is the compiler's.
    var storedProperties: [StoredGlobal] {
        let stored = Set(
            declarations.values.filter { $0.symbol.isAccessor && $0.isImplicit }.compactMap(\.parent))
        return declarations.values.compactMap { declaration in
            guard stored.contains(declaration.symbol.usr), !declaration.isImplicit,
                let type = QualifiedName(usr: declaration.symbol.usr)?.type
            else { return nil }
            return StoredGlobal(declaration: declaration, type: type)
        }
    }

    /// The object, or what can change, that a global keeps; nil for a constant value.
    func sharedObject(in global: StoredGlobal) -> (type: String, words: String)? {
        let type = String(QualifiedName.outermost(global.type))
        if types[type]?.kind == .object { return (type, "object of class '\(type)'") }
        if types[type]?.kind == .proto, let built = builtObject(for: global) {
            return (built, "object of class '\(built)'")
        }
        if ["Synchronization.Mutex", "Synchronization.Atomic"].contains(type) { return (type, "'\(type)'") }
        return nil
    }

    /// The class of which a global that is declared as a protocol is given an object.
    private func builtObject(for global: StoredGlobal) -> String? {
        files[global.declaration.file].occurrences.lazy
            .filter { $0.symbol.kind == .initializer && $0.isReference }
            .filter { $0.related(.containedBy)?.usr == global.declaration.symbol.usr }
            .compactMap { QualifiedName(usr: $0.symbol.usr)?.path }
            .map { String($0.dropLast(".init".count)) }
            .first { types[$0]?.kind == .object }
    }
}
