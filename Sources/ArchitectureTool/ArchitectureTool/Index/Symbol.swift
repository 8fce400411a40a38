import CIndexStore

/// A declaration, the same in every file in which it occurs.
struct Symbol {
    /// The unified symbol resolution: for Swift `s:` and the mangled name, for C `c:` and the name.
    let usr: String
    let name: String
    let kind: Kind
    /// True if it is a getter, a setter or another accessor.
    let isAccessor: Bool

    init(_ symbol: index_symbol_t, _ library: index_library_t) {
        usr = String(library.symbol_get_usr(symbol))
        name = String(library.symbol_get_name(symbol))
        kind = Kind(rawValue: library.symbol_get_kind(symbol)) ?? .other
        isAccessor = Self.accessors.contains(library.symbol_get_subkind(symbol))
    }

    private static let accessors: Set<Int32> = [3, 4, 1000, 1001, 1002, 1003, 1014, 1015, 1016, 1017, 1018]

    /// The name before the argument labels.
    var baseName: Substring { name.prefix { $0 != "(" } }

    var isType: Bool { kind.isType }

    /// The kinds that the rules distinguish; the numbers are the index store's.
    enum Kind: Int32 {
        case other = 0
        case module = 1
        case enumeration = 5
        case structure = 6
        /// A class or an actor.
        case object = 7
        case proto = 8
        case ext = 9
        case typeAlias = 11
        case function = 12
        case variable = 13
        case instanceMethod = 16
        case classMethod = 17
        case staticMethod = 18
        case instanceProperty = 19
        case classProperty = 20
        case staticProperty = 21
        case initializer = 22
        case parameter = 25

        var isType: Bool { [.enumeration, .structure, .object, .proto].contains(self) }
        var isFunction: Bool { [.function, .instanceMethod, .classMethod, .staticMethod].contains(self) }
        /// True if it is a static property, or a variable outside of all types.
        var isGlobal: Bool { [.variable, .classProperty, .staticProperty].contains(self) }
    }
}

struct Occurrence {
    let symbol: Symbol
    let line: Int
    /// In bytes, from 1.
    let column: Int
    let roles: Roles
    let relations: [Relation]

    /// A related symbol: the container of this reference, or the parent of this member.
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
        let collector = Collector<Relation>(library)
        _ = library.occurrence_relations_apply_f(occurrence, collector.pointer) { context, relation in
            let collector = Collector<Relation>.at(context)
            let library = collector.library
            collector.found.append(
                Relation(
                    roles: Roles(rawValue: library.symbol_relation_get_roles(relation)),
                    symbol: Symbol(library.symbol_relation_get_symbol(relation), library)))
            return true
        }
        relations = collector.found
    }

    /// True if the source uses the symbol here; false for definitions and for compiler-generated code.
    var isReference: Bool { roles.contains(.reference) && !roles.contains(.implicit) }

    func related(_ role: Roles) -> Symbol? {
        relations.first { $0.roles.contains(role) }?.symbol
    }
}

/// The roles of a symbol where it occurs or is related to another; the bits are the index store's.
struct Roles: OptionSet {
    let rawValue: UInt64

    static let definition = Roles(rawValue: 1 << 1)
    static let reference = Roles(rawValue: 1 << 2)
    static let implicit = Roles(rawValue: 1 << 8)
    static let childOf = Roles(rawValue: 1 << 9)
    static let baseOf = Roles(rawValue: 1 << 10)
    static let overrideOf = Roles(rawValue: 1 << 11)
    static let extendedBy = Roles(rawValue: 1 << 14)
    static let accessorOf = Roles(rawValue: 1 << 15)
    static let containedBy = Roles(rawValue: 1 << 16)
}
