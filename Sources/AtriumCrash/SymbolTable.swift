internal import AtriumLibraries

/// The function names in a library's file.
///
/// Layout: System V ABI, chapter 4, "Symbol Table". Nothing in the file is trusted: an entry that points
/// outside of it has no name.
struct SymbolTable {
    private let functions: [Function]
    private let names: [UInt8]

    private struct Function {
        let start: UInt64
        let size: UInt64
        let name: Int
    }

    /// Reads the table of all symbols, or of the exported ones in a stripped file.
    ///
    /// - Throws: ``ModuleError`` if the file is not a library.
    init(_ file: RandomAccessFile) throws {
        let library = try ELFFile(file)
        let isStripped = try library.section(".symtab") == nil
        let entries = try library.section(isStripped ? ".dynsym" : ".symtab") ?? []
        names = try library.section(isStripped ? ".dynstr" : ".strtab") ?? []
        functions = stride(from: 0, through: entries.count - 24, by: 24).compactMap { start in
            let isFunction = entries[start + 4] & 15 == 2
            guard isFunction, entries.read(UInt16.self, at: start + 6) != 0 else { return nil }
            return Function(
                start: entries.read(UInt64.self, at: start + 8),
                size: entries.read(UInt64.self, at: start + 16),
                name: Int(entries.read(UInt32.self, at: start)))
        }
    }

    /// The mangled name of the function that contains `offset`, an address in the file.
    func name(at offset: UInt64) -> String? {
        let function = functions.first { offset >= $0.start && offset - $0.start < $0.size }
        guard let function, function.name < names.count else { return nil }
        return String(decoding: names[function.name...].prefix { $0 != 0 }, as: UTF8.self)
    }
}
