/// The code of one target: its files, its declarations and how they relate.
struct CodeBase {
    let target: CheckedTarget
    let files: [CodeFile]
    /// The target's own declarations, by USR.
    let declarations: [String: Declaration]
    /// The direct bases of types, and of extensions, by USR.
    private let bases: [String: Set<String>]
    /// The types that extensions extend, by the extensions' USR.
    private let extended: [String: String]
    /// What the module registers, by USR.
    let registrations: [String: Registration]
    /// All types that the target names, also those of others, by their qualified names.
    let types: [String: Symbol]
    /// The protocols that the module registers as services, by USR.
    let serviceProtocols: Set<String>
    /// All references in the sources, in the order of files and text.
    let references: [Reference]

    init(_ target: CheckedTarget, files: [CodeFile]) {
        self.target = target
        self.files = files
        let links = Links(files)
        declarations = links.declarations
        bases = links.bases
        extended = links.extended
        types = links.types
        let registrations = Registration.all(in: files)
        self.registrations = registrations
        let services = registrations.values.filter { $0.layer == .service && $0.symbol.kind == .proto }
        serviceProtocols = Set(services.map(\.symbol.usr))
        references = files.indices.flatMap { index in
            files[index].occurrences.filter(\.isReference).map { Reference(file: index, occurrence: $0) }
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

    /// The types around a symbol, itself included, from the inside to the outside.
    func types(around usr: String) -> [String] {
        var found: [String] = []
        var next = type(around: usr)
        while let type = next, !found.contains(type) {
            found.append(type)
            next = declarations[type]?.parent.flatMap { self.type(around: $0) }
        }
        return found
    }

    /// Whether a type of this target conforms to `base` or inherits from it, also indirectly.
    func type(_ usr: String, is base: String) -> Bool {
        allBases(of: usr).contains(base)
    }

    /// The protocols and classes that a type has in this target, also indirectly.
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

    private func layer(ofType usr: String) -> Layer? {
        if let registration = registrations[usr] { return registration.layer }
        if type(usr, is: "s:9AtriumKit4ViewP") { return .view }
        if type(usr, is: "s:9AtriumKit9ViewModelP") { return .viewModel }
        return isService(usr) ? .service : nil
    }

    func layer(ofFile index: Int) -> Layer {
        guard let folder = files[index].folder else { return .composition }
        return Layer(rawValue: folder) ?? .infrastructure
    }

    /// The layer of the code around a reference.
    func layer(of reference: Reference) -> Layer {
        reference.container.flatMap(layer(of:)) ?? layer(ofFile: reference.file)
    }

    /// What messages call the target of a reference: the type that has a layer, else the outermost type.
    func name(of reference: Reference) -> String {
        let types = types(around: reference.symbol.usr)
        let type = types.first { layer(ofType: $0) != nil } ?? types.last
        return type.flatMap { declarations[$0]?.symbol.name } ?? reference.symbol.name
    }

    // MARK: - Services

    /// Whether a type is an implementation of a registered service, or registered as one itself.
    func isService(_ usr: String) -> Bool {
        guard let symbol = declarations[usr]?.symbol, symbol.kind != .proto else { return false }
        return registrations[usr]?.layer == .service || serviceProtocols.contains { type(usr, is: $0) }
    }
}

/// A reference to a symbol.
struct Reference {
    /// The index of its file in ``CodeBase/files``.
    let file: Int
    let occurrence: Occurrence
    /// The USR of the declaration that contains it; nil where an extension or an attribute names it.
    let container: String?

    init(file: Int, occurrence: Occurrence) {
        self.file = file
        self.occurrence = occurrence
        container = (occurrence.related(.containedBy) ?? occurrence.related(.baseOf))?.usr
    }

    var symbol: Symbol { occurrence.symbol }
}

/// Something that a target declares.
struct Declaration {
    let symbol: Symbol
    /// The index of its file in ``CodeBase/files``.
    let file: Int
    let occurrence: Occurrence
    /// The USR of the declaration, or the extension, of which it is a member.
    let parent: String?

    /// Whether the compiler generated it: an accessor of a stored property, a macro's expansion.
    var isImplicit: Bool { occurrence.roles.contains(.implicit) }
}

/// How the declarations of a target relate, collected in one pass over its occurrences.
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
        // The conformances of an extension are those of its type.
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
