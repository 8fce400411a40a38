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
