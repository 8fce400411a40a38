import CIndexStore

/// Something that a program declares, the same in every file where it occurs.
struct Symbol {
    /// Identifies it: for Swift its mangled name behind `s:`, for C its name behind `c:`.
    let usr: String
    let name: String
    let kind: Kind
    /// Whether it is the getter, the setter or the like of a property.
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

    /// The kinds that the check tells apart; the numbers are the index store's.
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
        /// A property of a type, or a variable outside of all types.
        var isGlobal: Bool { [.variable, .classProperty, .staticProperty].contains(self) }
    }
}
