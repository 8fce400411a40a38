/// Rules for globally stored state.
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
            } else if let words = code.sharedValue(in: global) {
                problem = "is one \(words) for everybody"
            } else {
                guard code.variable(global)?.isVariable == true else { return nil }
                problem = "can be changed by every user"
            }
            return "'\(global.symbol.name)' \(problem); "
                + "register it as 'shared', so that each generation has its own and tests can replace it"
        }
    }

    /// The properties that the session may store.
    private static let sessionState: Set<String> = ["user", "credential", "stack", "observers", "didChange"]
    /// Types that grow with their content; collections only as variables.
    private static let caches: Set<Substring> = [
        "AtriumKit.Cache", "Foundation.NSCache", "Foundation.NSMutableDictionary",
        "Foundation.NSMutableArray",
    ]
    private static let collections: Set<Substring> = [
        "Swift.Array", "Swift.Dictionary", "Swift.Set", "Swift.ContiguousArray",
    ]

    /// The session holds the signed-in user and little else, and no singleton is a cache.
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
            guard
                caches.contains(stored)
                    || collections.contains(stored) && code.variable(property)?.isVariable == true
            else { return nil }
            return "'\(name)' grows in a singleton, which nobody releases; "
                + "keep it in a repository with a 'Cache'"
        }
    }
}

struct StoredProperty: Located {
    let declaration: Declaration
    /// The type as in the mangled name.
    let type: String

    var file: Int { declaration.file }
    var occurrence: Occurrence { declaration.occurrence }
}

extension CodeBase {
    /// The properties that are stored `static`, or outside of all types.
    var storedGlobals: [StoredProperty] {
        storedProperties.filter(\.symbol.kind.isGlobal)
    }

    /// The object or the lock in a global; nil for a value.
    func sharedObject(in global: StoredProperty) -> (type: String, words: String)? {
        let type = String(QualifiedName.outermost(global.type))
        if types[type]?.kind == .object { return (type, "object of class '\(type)'") }
        if types[type]?.kind == .proto, let built = builtObject(for: global) {
            return (built, "object of class '\(built)'")
        }
        if Self.locks.contains(type) { return (type, "'\(type)'") }
        return nil
    }

    private static let locks: Set<String> = ["Synchronization.Mutex", "Synchronization.Atomic"]
    private static let singletonNames: Set<String> = ["shared", "sharedInstance", "instance", "singleton"]

    /// The shared part of a global value: a service, an object inside, or its own name; nil for a constant.
    func sharedValue(in global: StoredProperty) -> String? {
        let name = String(QualifiedName.outermost(global.type))
        if let usr = types[name]?.usr, declarations[usr] != nil {
            if serviceProtocols.contains(usr) { return "service '\(name)'" }
            if let layer = ownLayer(of: usr),
                [.service, .repository, .useCase, .aggregateModel].contains(layer)
            {
                return "'\(name)', which is \(layer.words),"
            }
            if Self.singletonNames.contains(global.symbol.name),
                global.declaration.parent.flatMap({ type(around: $0) }) == usr
            {
                return "'\(name)'"
            }
        }
        if let usr = types[name]?.usr, let work = asynchronousClosure(of: usr) {
            return "value that does work in its closure '\(work)'"
        }
        var seen: Set<String> = []
        return heldObject(in: global.type, &seen).map { "value with an object of class '\($0)'" }
    }

    /// An asynchronous closure that a value holds, like a service.
    private func asynchronousClosure(of usr: String) -> String? {
        propertiesByOwner[usr]?.first { $0.type.contains("->") && $0.type.contains(" async ") }?.symbol.name
    }

    /// The object or lock held by a value of a type, including inside other values and collections.
    private func heldObject(in type: String, _ seen: inout Set<String>) -> String? {
        // A function makes or takes objects; it need not hold one.
        if type.contains("->") { return nil }
        let names = type.split { !($0.isLetter || $0.isNumber || "._".contains($0)) }.map(String.init)
        for name in names where !name.hasSuffix(".Type") && seen.insert(name).inserted {
            if Self.locks.contains(name) { return name }
            guard let symbol = types[name] else { continue }
            if symbol.kind == .object, !name.hasSuffix("KeyPath") { return name }
            for property in propertiesByOwner[symbol.usr] ?? [] {
                if let found = heldObject(in: property.type, &seen) { return found }
            }
        }
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
