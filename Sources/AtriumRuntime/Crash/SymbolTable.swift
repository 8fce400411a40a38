/// The names of the functions in a library, as its file has them.
///
/// Layout: System V ABI, chapter 4, "Symbol Table". Nothing in the file is trusted: an entry that points outside
/// of it has no name.
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
    /// - Throws: ``ModuleError`` if the file is no library.
    init(_ file: RandomAccessFile) throws {
        let library = try ELFFile(file)
        let isStripped = try library.section(".symtab") == nil
        let entries = try library.section(isStripped ? ".dynsym" : ".symtab") ?? []
        names = try library.section(isStripped ? ".dynstr" : ".strtab") ?? []
        functions = entries.withUnsafeBytes(Self.functions).sorted { $0.start < $1.start }
    }

    private static func functions(_ entries: UnsafeRawBufferPointer) -> [Function] {
        let size = 24
        return (0..<entries.count / size).compactMap { index in
            let start = index * size
            let isFunction = entries[start + 4] & 15 == 2
            let section = entries.loadUnaligned(fromByteOffset: start + 6, as: UInt16.self)
            guard isFunction, UInt16(littleEndian: section) != 0 else { return nil }
            let name = entries.loadUnaligned(fromByteOffset: start, as: UInt32.self)
            let value = entries.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
            let length = entries.loadUnaligned(fromByteOffset: start + 16, as: UInt64.self)
            return Function(
                start: UInt64(littleEndian: value), size: UInt64(littleEndian: length),
                name: Int(UInt32(littleEndian: name)))
        }
    }

    /// The mangled name of the function that has code at `offset`, an address in the file.
    func name(at offset: UInt64) -> String? {
        var low = 0
        var high = functions.count
        while low < high {
            let middle = (low + high) / 2
            if functions[middle].start <= offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0, offset - functions[low - 1].start < functions[low - 1].size else { return nil }
        let name = functions[low - 1].name
        guard name < names.count else { return nil }
        return String(decoding: names[name...].prefix { $0 != 0 }, as: UTF8.self)
    }
}
