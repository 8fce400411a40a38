/// How the declarations of a target hang together, gathered in one pass over all that occurs in it.
struct Links {
    private(set) var declarations: [String: Declaration] = [:]
    private(set) var bases: [String: Set<String>] = [:]
    private(set) var extended: [String: String] = [:]
    private(set) var types: [String: Symbol] = [:]
    private var named: Set<String> = []

    init(_ files: [CodeFile]) {
        for index in files.indices {
            for occurrence in files[index].occurrences { add(occurrence, in: index) }
        }
        // What an extension conforms to is what its type conforms to.
        for (ext, type) in extended { bases[type, default: []].formUnion(bases[ext] ?? []) }
    }

    private mutating func add(_ occurrence: Occurrence, in file: Int) {
        let symbol = occurrence.symbol
        if occurrence.roles.contains(.definition) {
            declarations[symbol.usr] = Declaration(
                symbol: symbol, file: file, occurrence: occurrence,
                parent: (occurrence.related(.childOf) ?? occurrence.related(.accessorOf))?.usr)
        }
        for relation in occurrence.relations {
            if relation.roles.contains(.baseOf) { bases[relation.symbol.usr, default: []].insert(symbol.usr) }
            if relation.roles.contains(.extendedBy) { extended[relation.symbol.usr] = symbol.usr }
        }
        if symbol.isType, named.insert(symbol.usr).inserted, let name = QualifiedName(usr: symbol.usr) {
            types[name.path] = symbol
        }
    }
}
