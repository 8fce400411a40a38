/// What a library says that it needs of others.
///
/// The loader itself goes by the table of segments, which leads to the same tables in every library that a
/// linker made.
extension ELFFile {
    /// The names of the symbols that the library has to get from others, in the order of its table.
    ///
    /// Weak ones are left out: a library works without them.
    ///
    /// - Throws: ``ModuleError`` where the table of symbols or that of their names is damaged.
    func undefinedSymbols() throws -> [String] {
        let table = try section(".dynsym") ?? []
        var names = try StringTable(section(".dynstr") ?? [], of: path)
        return try entries(of: table, size: 24).compactMap { start in
            let isWeak = table[start + 4] >> 4 == 2
            let isDefined = table.read(UInt16.self, at: start + 6) != 0
            let name = table.read(UInt32.self, at: start)
            // The first entry of every table is empty.
            guard !isWeak, !isDefined, name != 0 else { return nil }
            return try names.string(at: UInt64(name))
        }
    }

    /// The names of the libraries that the loader opens before this one.
    ///
    /// - Throws: ``ModuleError`` where the table of what the loader has to know is damaged.
    func neededLibraries() throws -> [String] {
        let table = try section(".dynamic") ?? []
        var names = try StringTable(section(".dynstr") ?? [], of: path)
        let end: UInt64 = 0
        let needed: UInt64 = 1
        return try entries(of: table, size: 16)
            .prefix { table.read(UInt64.self, at: $0) != end }
            .filter { table.read(UInt64.self, at: $0) == needed }
            .map { try names.string(at: table.read(UInt64.self, at: $0 + 8)) }
    }

    /// Where the entries of a table begin.
    private func entries(of table: [UInt8], size: Int) throws -> StrideTo<Int> {
        guard table.count.isMultiple(of: size) else {
            throw ModuleError.notALibrary(path, "a table of its symbols is damaged")
        }
        return stride(from: 0, to: table.count, by: size)
    }
}

/// The names that the entries of a library's tables refer to by their place; each ends with a zero.
private struct StringTable {
    private let bytes: [UInt8]
    private let path: String
    /// How many bytes of names may still be read: entries that all refer to one long name would each have a
    /// copy of it.
    private var budget: Int

    init(_ bytes: [UInt8], of path: String) {
        self.bytes = bytes
        self.path = path
        // Linkers let a name be the end of another one; few are.
        budget = bytes.count * 4
    }

    mutating func string(at offset: UInt64) throws -> String {
        let damaged = ModuleError.notALibrary(path, "the table of its symbols' names is damaged")
        guard let start = Int(exactly: offset), start < bytes.count else { throw damaged }
        let name = bytes[start...].prefix(budget).prefix { $0 != 0 }
        guard name.endIndex < bytes.count, bytes[name.endIndex] == 0 else { throw damaged }
        budget -= name.count
        return String(decoding: name, as: UTF8.self)
    }
}
