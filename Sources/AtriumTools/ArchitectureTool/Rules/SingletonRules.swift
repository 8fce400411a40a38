/// What is stored once for everybody.
extension Rule {
    private static let allowedSingletons: Set<String> = ["AtriumKit.SessionManager", "AtriumKit.FlowManager"]

    /// The session and the list of flows are the only singletons.
    ///
    /// A singleton is an object, a variable or a lock that is stored `static` or outside of all types.
    static let singleton = Rule("singleton", in: { $0.role != .host }) { code in
        code.storedGlobals.findings { global in
            let problem: String
            if let kept = code.sharedObject(in: global) {
                guard !allowedSingletons.contains(kept.type) else { return nil }
                problem = "is one \(kept.words) for everybody"
            } else {
                guard code.isVariable(global) else { return nil }
                problem = "can be changed by every user"
            }
            return "'\(global.symbol.name)' \(problem); "
                + "register it as 'shared', so that each generation has its own and tests can replace it"
        }
    }

    /// What the session may store.
    private static let sessionState: Set<String> = ["user", "credential", "stack", "observers", "didChange"]
    /// Types that grow with what is put into them; collections only as variables.
    private static let caches: Set<Substring> = [
        "AtriumKit.Cache", "Foundation.NSCache", "Foundation.NSMutableDictionary",
        "Foundation.NSMutableArray",
    ]
    private static let collections: Set<Substring> = [
        "Swift.Array", "Swift.Dictionary", "Swift.Set", "Swift.ContiguousArray",
    ]

    /// The session holds who is signed in and little else, and no singleton is a cache.
    static let singletonState = Rule("singleton-state", in: { _ in true }) { code in
        let own = code.storedGlobals.compactMap { code.sharedObject(in: $0)?.type }
        let singletons = allowedSingletons.union(code.target.role == .host ? [] : own)
        return code.storedProperties.findings { property in
            guard !property.symbol.kind.isGlobal,
                let owner = property.declaration.parent.flatMap(code.type(around:)),
                let type = QualifiedName(usr: owner)?.path, singletons.contains(type)
            else { return nil }
            let name = property.symbol.name
            if type == "AtriumKit.SessionManager", !sessionState.contains(name) {
                return "the session stores '\(name)'; it holds who is signed in and nothing else: "
                    + "keep this in the repository that it belongs to"
            }
            let stored = QualifiedName.outermost(property.type)
            guard caches.contains(stored) || collections.contains(stored) && code.isVariable(property)
            else { return nil }
            return "'\(name)' grows in a singleton, which nobody releases; "
                + "keep it in a repository with a 'Cache'"
        }
    }
}

struct StoredProperty: Located {
    let declaration: Declaration
    /// The type as the mangled name has it.
    let type: String

    var file: Int { declaration.file }
    var occurrence: Occurrence { declaration.occurrence }
}

extension CodeBase {
    /// The properties that are stored `static`, or outside of all types.
    var storedGlobals: [StoredProperty] {
        storedProperties.filter(\.symbol.kind.isGlobal)
    }

    /// Whether a property is declared with `var`.
    func isVariable(_ property: StoredProperty) -> Bool {
        files[property.file].word(before: property.occurrence) == "var"
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
        files[global.file].occurrences.lazy
            .filter { $0.symbol.kind == .initializer && $0.isReference }
            .filter { $0.related(.containedBy)?.usr == global.symbol.usr }
            .compactMap { QualifiedName(usr: $0.symbol.usr)?.path }
            .map { String($0.dropLast(".init".count)) }
            .first { types[$0]?.kind == .object }
    }
}
