import FoundationEssentials
import Glibc

/// The code of one target: its files, its declarations and their relations.
struct CodeBase {
    let target: CheckedTarget
    let files: [CodeFile]
    /// The target's own declarations, by USR.
    private(set) var declarations: [String: Declaration] = [:]
    /// The direct bases of types, and of extensions, by USR.
    private var bases: [String: Set<String>] = [:]
    /// The types that extensions extend, by the extensions' USR.
    private var extended: [String: String] = [:]
    /// The module's registrations, by the type's USR.
    let registrations: [String: Registration]
    /// All types that the target names, including those of other modules, by qualified name.
    private(set) var types: [String: Symbol] = [:]
    /// The protocols that the module registers as services, by USR.
    let serviceProtocols: Set<String>
    let references: [Reference]
    /// All stored properties of this target, recognized by their compiler-generated getter.
    private(set) var storedProperties: [StoredProperty] = []
    /// The stored instance properties, by the USR of their type.
    private(set) var propertiesByOwner: [String: [StoredProperty]] = [:]

    /// Reads a target's code from the index, provided that the index is current.
    ///
    /// - Throws: ``CheckError`` if a source file is not in the index, or has changed since.
    init(_ target: CheckedTarget, in store: IndexStore) throws {
        let indexed = try store.files(below: target.folder)
        let files = try Self.sourceFiles(of: target).map { path in
            guard let file = indexed[path] else {
                throw CheckError("\(path) is not in the index; run 'swift build', then check again")
            }
            guard try Self.changedAt(path) <= file.compiledAt else {
                throw CheckError(
                    "\(path) has changed since it was built; run 'swift build', then check again")
            }
            return try CodeFile(path: path, in: target, occurrences: try store.occurrences(in: file))
        }
        self.target = target
        self.files = files
        registrations = Registration.all(in: files)
        let services = registrations.values.filter { $0.layer == .service && $0.symbol.kind == .proto }
        serviceProtocols = Set(services.map(\.symbol.usr))
        references = files.indices.flatMap { index in
            files[index].occurrences.filter(\.isReference).map { Reference(file: index, occurrence: $0) }
        }
        var named: Set<String> = []
        for (index, file) in files.enumerated() {
            for occurrence in file.occurrences { add(occurrence, in: index, &named) }
        }
        // An extension's conformances belong to its type.
        for (ext, type) in extended { bases[type, default: []].formUnion(bases[ext] ?? []) }
        storedProperties = findStoredProperties()
        propertiesByOwner = Dictionary(
            grouping: storedProperties.filter { $0.symbol.kind == .instanceProperty }
        ) { $0.declaration.parent.flatMap(type(around:)) ?? "" }
    }

    private static func sourceFiles(of target: CheckedTarget) throws -> [String] {
        let sources = sourceFiles(below: target.folder)
        guard !sources.isEmpty else {
            throw CheckError("\(target.folder) has no Swift sources; name the folder of a target's sources")
        }
        return sources.sorted()
    }

    /// Walks folders as the build does, following symbolic links.
    private static func sourceFiles(below folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { !$0.hasPrefix(".") }.flatMap { name in
            let path = "\(folder)/\(name)"
            var isFolder = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                return [] as [String]
            }
            return isFolder ? sourceFiles(below: path) : name.hasSuffix(".swift") ? [path] : []
        }
    }

    /// The time of the last change, in nanoseconds since 1970.
    private static func changedAt(_ path: String) throws -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw CheckError("\(path) can't be read") }
        #if os(Linux)
            let time = status.st_mtim
        #else
            let time = status.st_mtimespec
        #endif
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private mutating func add(_ occurrence: Occurrence, in file: Int, _ named: inout Set<String>) {
        let symbol = occurrence.symbol
        if occurrence.roles.contains(.definition) {
            declarations[symbol.usr] = Declaration(
                file: file, occurrence: occurrence,
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

    private func findStoredProperties() -> [StoredProperty] {
        let stored = Set(
            declarations.values.filter { $0.symbol.isAccessor && $0.isImplicit }.compactMap(\.parent))
        return declarations.values.compactMap { declaration in
            guard stored.contains(declaration.symbol.usr), !declaration.isImplicit,
                let type = QualifiedName(usr: declaration.symbol.usr)?.type
            else { return nil }
            return StoredProperty(declaration: declaration, type: type)
        }
    }

    // MARK: - Types

    /// The innermost type to which a symbol belongs: itself, or the type or extension around it.
    func type(around usr: String) -> String? {
        var usr = extended[usr] ?? usr
        // A declaration is never its own parent, but a broken index must not hang the check.
        for _ in 0..<100 {
            guard let declaration = declarations[usr] else { return nil }
            if declaration.symbol.isType { return usr }
            guard let parent = declaration.parent else { return nil }
            usr = extended[parent] ?? parent
        }
        return nil
    }

    /// The types around a symbol, including itself, innermost first.
    func types(around usr: String) -> [String] {
        var found: [String] = []
        var next = type(around: usr)
        while let type = next, !found.contains(type) {
            found.append(type)
            next = declarations[type]?.parent.flatMap { self.type(around: $0) }
        }
        return found
    }

    /// True if a type of this target conforms to `base` or inherits from it, directly or indirectly.
    func type(_ usr: String, is base: String) -> Bool {
        allBases(of: usr).contains(base)
    }

    /// The protocols and classes of a type within this target, direct and indirect.
    func allBases(of usr: String) -> Set<String> {
        var open = [usr]
        var found: Set<String> = []
        while let next = open.popLast() {
            for base in bases[next] ?? [] where found.insert(base).inserted { open.append(base) }
        }
        return found
    }

    // MARK: - Layers

    /// The layer of one of this target's declarations; nil for others.
    ///
    /// Registration and conformance take precedence over the folder.
    func layer(of usr: String) -> Layer? {
        guard let declaration = declarations[extended[usr] ?? usr] else { return nil }
        return types(around: usr).lazy.compactMap(layer(ofType:)).first ?? layer(ofFile: declaration.file)
    }

    func layer(ofType usr: String) -> Layer? {
        if let registration = registrations[usr] { return registration.layer }
        if type(usr, is: "s:9AtriumKit4ViewP") { return .view }
        if type(usr, is: "s:9AtriumKit9ViewModelP") { return .viewModel }
        return isService(usr) ? .service : nil
    }

    func layer(ofFile index: Int) -> Layer {
        guard let folder = files[index].folder else { return .composition }
        return Layer(rawValue: folder) ?? .infrastructure
    }

    func layer(of reference: Reference) -> Layer {
        reference.container.flatMap(layer(of:)) ?? layer(ofFile: reference.file)
    }

    /// The name of a reference's target in messages: the type that has a layer, else the outermost type.
    func name(of reference: Reference) -> String {
        let types = types(around: reference.symbol.usr)
        let type = types.first { layer(ofType: $0) != nil } ?? types.last
        return type.flatMap { declarations[$0]?.symbol.name } ?? reference.symbol.name
    }

    // MARK: - Services

    /// True if a type is an implementation of a registered service, or registered as one itself.
    func isService(_ usr: String) -> Bool {
        guard let symbol = declarations[usr]?.symbol, symbol.kind != .proto else { return false }
        return registrations[usr]?.layer == .service || serviceProtocols.contains { type(usr, is: $0) }
    }
}

/// An element that rules look at: a symbol and its location.
protocol Located {
    /// The index of its file in ``CodeBase/files``.
    var file: Int { get }
    var occurrence: Occurrence { get }
}

extension Located {
    var symbol: Symbol { occurrence.symbol }
}

struct Reference: Located {
    let file: Int
    let occurrence: Occurrence
    /// The USR of the declaration that contains it; nil if an extension or an attribute names it.
    let container: String?

    init(file: Int, occurrence: Occurrence) {
        self.file = file
        self.occurrence = occurrence
        container = (occurrence.related(.containedBy) ?? occurrence.related(.baseOf))?.usr
    }
}

struct Declaration: Located {
    let file: Int
    let occurrence: Occurrence
    /// The USR of the declaration or extension of which it is a member.
    let parent: String?

    /// True if the compiler generated it: an accessor of a stored property, or a macro's expansion.
    var isImplicit: Bool { occurrence.roles.contains(.implicit) }
}
