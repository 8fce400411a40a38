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

/// The session holds who is signed in and little else, and no singleton is a cache.
struct SingletonState: Rule {
    let name = "singleton-state"

    /// What the session may store.
    private let session: Set<String> = ["user", "credential", "stack", "observers"]
    /// Objects and values that grow with what is put into them; the values only where they are variables.
    private let caches: Set<Substring> = [
        "AtriumKit.Cache", "Foundation.NSCache", "Foundation.NSMutableDictionary",
        "Foundation.NSMutableArray",
    ]
    private let collections: Set<Substring> = [
        "Swift.Array", "Swift.Dictionary", "Swift.Set", "Swift.ContiguousArray",
    ]

    func violations(in code: CodeBase) -> [Violation] {
        let singletons = singletons(in: code)
        return code.storedProperties.compactMap { property in
            guard !property.declaration.symbol.kind.isGlobal,
                let owner = property.declaration.parent.flatMap(code.type(around:)),
                let type = QualifiedName(usr: owner)?.path, singletons.contains(type)
            else { return nil }
            return problem(property, of: type, in: code).map { violation(at: property.declaration, $0) }
        }
    }

    private func singletons(in code: CodeBase) -> Set<String> {
        let own = code.storedGlobals.compactMap { code.sharedObject(in: $0)?.type }
        return SingletonRule.allowed.union(code.target.role == .host ? [] : own)
    }

    private func problem(_ property: StoredGlobal, of type: String, in code: CodeBase) -> String? {
        let name = property.declaration.symbol.name
        if type == "AtriumKit.SessionManager", !session.contains(name) {
            return "the session stores '\(name)'; it holds who is signed in and nothing else: "
                + "keep this in the repository that it belongs to"
        }
        guard grows(property, in: code) else { return nil }
        return "'\(name)' grows in a singleton, which nobody releases; keep it in a repository with a 'Cache'"
    }

    private func grows(_ property: StoredGlobal, in code: CodeBase) -> Bool {
        let type = QualifiedName.outermost(property.type)
        if caches.contains(type) { return true }
        let (file, place) = (code.files[property.declaration.file], property.declaration.occurrence)
        return collections.contains(type) && file.word(before: place) == "var"
    }
}
