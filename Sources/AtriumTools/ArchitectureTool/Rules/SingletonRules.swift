/// The session and the list of flows are the only singletons.
///
/// A singleton is an object, a variable or a lock that is stored `static` or outside of all types.
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

    private func problem(_ global: StoredProperty, in code: CodeBase) -> String? {
        if let kept = code.sharedObject(in: global) {
            return Self.allowed.contains(kept.type) ? nil : "is one \(kept.words) for everybody"
        }
        let (file, occurrence) = (code.files[global.declaration.file], global.declaration.occurrence)
        return file.word(before: occurrence) == "var" ? "can be changed by everybody" : nil
    }
}

/// A stored property and its type.
struct StoredProperty {
    let declaration: Declaration
    /// The type as the mangled name has it.
    let type: String
}

extension CodeBase {
    /// The properties that are stored `static`, or outside of all types.
    var storedGlobals: [StoredProperty] {
        storedProperties.filter(\.declaration.symbol.kind.isGlobal)
    }

    /// All stored properties: the compiler generated their getter.
    var storedProperties: [StoredProperty] {
        let stored = Set(
            declarations.values.filter { $0.symbol.isAccessor && $0.isImplicit }.compactMap(\.parent))
        return declarations.values.compactMap { declaration in
            guard stored.contains(declaration.symbol.usr), !declaration.isImplicit,
                let type = QualifiedName(usr: declaration.symbol.usr)?.type
            else { return nil }
            return StoredProperty(declaration: declaration, type: type)
        }
    }

    /// The object or the lock in a global; nil for a value.
    func sharedObject(in global: StoredProperty) -> (type: String, words: String)? {
        let type = String(QualifiedName.outermost(global.type))
        if types[type]?.kind == .object { return (type, "object of class '\(type)'") }
        if types[type]?.kind == .proto, let built = builtObject(for: global) {
            return (built, "object of class '\(built)'")
        }
        if ["Synchronization.Mutex", "Synchronization.Atomic"].contains(type) { return (type, "'\(type)'") }
        return nil
    }

    /// The class of the object that initializes a global of a protocol's type.
    private func builtObject(for global: StoredProperty) -> String? {
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
    /// Types that grow with what is put into them; collections only as variables.
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

    private func problem(_ property: StoredProperty, of type: String, in code: CodeBase) -> String? {
        let name = property.declaration.symbol.name
        if type == "AtriumKit.SessionManager", !session.contains(name) {
            return "the session stores '\(name)'; it holds who is signed in and nothing else: "
                + "keep this in the repository that it belongs to"
        }
        guard grows(property, in: code) else { return nil }
        return "'\(name)' grows in a singleton, which nobody releases; keep it in a repository with a 'Cache'"
    }

    private func grows(_ property: StoredProperty, in code: CodeBase) -> Bool {
        let type = QualifiedName.outermost(property.type)
        if caches.contains(type) { return true }
        let (file, occurrence) = (code.files[property.declaration.file], property.declaration.occurrence)
        return collections.contains(type) && file.word(before: occurrence) == "var"
    }
}
