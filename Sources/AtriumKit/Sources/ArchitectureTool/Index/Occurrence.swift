import CIndexStore

/// A symbol at a place of the text.
struct Occurrence {
    let symbol: Symbol
    let line: Int
    /// In bytes, from 1.
    let column: Int
    let roles: Roles
    let relations: [Relation]

    /// What else is said of the symbol here: what contains this reference, whose member it is defined as.
    struct Relation {
        let roles: Roles
        let symbol: Symbol
    }

    init(_ occurrence: index_occurrence_t, _ library: index_library_t) {
        var (line, column) = (UInt32(0), UInt32(0))
        library.occurrence_get_line_col(occurrence, &line, &column)
        symbol = Symbol(library.occurrence_get_symbol(occurrence), library)
        roles = Roles(rawValue: library.occurrence_get_roles(occurrence))
        (self.line, self.column) = (Int(line), Int(column))
        relations = Self.relations(of: occurrence, library)
    }

    private static func relations(
        of occurrence: index_occurrence_t, _ library: index_library_t
    ) -> [Relation] {
        var found: (library: index_library_t, relations: [Relation]) = (library, [])
        withUnsafeMutablePointer(to: &found) { pointer in
            _ = library.occurrence_relations_apply_f(occurrence, pointer) { context, relation in
                let found = context!.assumingMemoryBound(
                    to: (library: index_library_t, relations: [Relation]).self)
                let library = found.pointee.library
                found.pointee.relations.append(
                    Relation(
                        roles: Roles(rawValue: library.symbol_relation_get_roles(relation)),
                        symbol: Symbol(library.symbol_relation_get_symbol(relation), library)))
                return true
            }
        }
        return found.relations
    }

    /// Written by a person, to use the symbol: not a definition, and nothing that the compiler made up.
    var isReference: Bool { roles.contains(.reference) && !roles.contains(.implicit) }

    /// The symbol of the relation that has `role`.
    func related(_ role: Roles) -> Symbol? {
        relations.first { $0.roles.contains(role) }?.symbol
    }
}

/// In which way a symbol occurs, or is related to another; the bits are the index store's.
struct Roles: OptionSet {
    let rawValue: UInt64

    static let definition = Roles(rawValue: 1 << 1)
    static let reference = Roles(rawValue: 1 << 2)
    static let call = Roles(rawValue: 1 << 5)
    static let implicit = Roles(rawValue: 1 << 8)
    static let childOf = Roles(rawValue: 1 << 9)
    static let baseOf = Roles(rawValue: 1 << 10)
    static let overrideOf = Roles(rawValue: 1 << 11)
    static let extendedBy = Roles(rawValue: 1 << 14)
    static let accessorOf = Roles(rawValue: 1 << 15)
    static let containedBy = Roles(rawValue: 1 << 16)
}
