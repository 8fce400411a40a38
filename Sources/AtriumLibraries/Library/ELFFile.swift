/// Reads sections of an ELF shared library without running any of its code.
///
/// Every offset and length comes from the file and is checked against its size before it is used.
/// Layout: System V ABI, chapter 4 ("Object Files"), the 64-bit little-endian form.
package struct ELFFile {
    private let file: RandomAccessFile
    private let sections: [Section]
    private let sectionNames: [UInt8]

    /// The largest section that is read: a damaged or sparse file must not fill the memory.
    private static let sectionLimit: UInt64 = 64 << 20

    var path: String { file.path }

    /// Reads the header and the section table.
    ///
    /// - Throws: ``ModuleError`` if the file is not a complete shared library for this machine.
    package init(_ file: RandomAccessFile) throws {
        self.file = file
        let header = try Self.header(of: file)
        let count = Int(header.read(UInt16.self, at: 60))
        let namesIndex = Int(header.read(UInt16.self, at: 62))
        let tableOffset = header.read(UInt64.self, at: 40)
        guard header.read(UInt16.self, at: 58) == Section.size, namesIndex < count else {
            throw ModuleError.notALibrary(file.path, "its table of sections is damaged")
        }
        guard let table = try file.bytes(at: tableOffset, count: UInt64(count * Section.size)) else {
            throw ModuleError.truncated(file.path)
        }
        sections = (0..<count).map { Section(table, at: $0 * Section.size) }
        sectionNames = try Self.contents(of: sections[namesIndex], in: file)
    }

    /// The bytes of the section called `name`; nil if there is none.
    ///
    /// - Throws: ``ModuleError`` if the section reaches beyond the end of the file, or is too large.
    package func section(_ name: String) throws -> [UInt8]? {
        let name = Array(name.utf8) + [0]
        let section = sections.first {
            $0.nameOffset < sectionNames.count && sectionNames[$0.nameOffset...].starts(with: name)
        }
        return try section.map { try Self.contents(of: $0, in: file) }
    }

    private static func contents(of section: Section, in file: RandomAccessFile) throws -> [UInt8] {
        guard section.length <= sectionLimit || section.length > file.size else {
            throw ModuleError.notALibrary(file.path, "a section of it is larger than 64 MB")
        }
        guard let bytes = try file.bytes(at: section.offset, count: section.length) else {
            throw ModuleError.truncated(file.path)
        }
        return bytes
    }

    private static func header(of file: RandomAccessFile) throws -> [UInt8] {
        let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]
        guard let start = try file.bytes(at: 0, count: min(file.size, 4)), start == magic else {
            throw ModuleError.notALibrary(file.path, "it is not an ELF file")
        }
        guard let header = try file.bytes(at: 0, count: 64) else { throw ModuleError.truncated(file.path) }
        let is64Bit = header[4] == 2
        let isLittleEndian = header[5] == 1
        guard is64Bit, isLittleEndian, header.read(UInt16.self, at: 18) == machine else {
            throw ModuleError.otherMachine(file.path)
        }
        let isSharedObject = header.read(UInt16.self, at: 16) == 3
        guard isSharedObject else {
            throw ModuleError.notALibrary(file.path, "it is an ELF file, but not a shared library")
        }
        return header
    }

    /// The `e_machine` value of the machine that this host was built for.
    package static var machine: UInt16 {
        #if arch(x86_64)
            62
        #elseif arch(arm64)
            183
        #else
            #error("Add the ELF machine number of this architecture.")
        #endif
    }

    /// An entry of the section table.
    private struct Section {
        static let size = 64
        let offset: UInt64
        let length: UInt64
        let nameOffset: Int

        init(_ table: [UInt8], at start: Int) {
            nameOffset = Int(table.read(UInt32.self, at: start))
            offset = table.read(UInt64.self, at: start + 24)
            length = table.read(UInt64.self, at: start + 32)
        }
    }
}

extension [UInt8] {
    /// The little-endian number at `offset`; the caller has checked the bounds.
    package func read<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
        var number: Number = 0
        for index in (0..<MemoryLayout<Number>.size).reversed() {
            number = number << 8 | Number(self[offset + index])
        }
        return number
    }
}

// MARK: - Symbols

extension ELFFile {
    /// The names of the symbols that the library needs from others, in table order.
    ///
    /// Weak symbols are left out: a library works without them. The loader reads the segment table, which
    /// leads to the same tables in every library made by a linker.
    ///
    /// - Throws: ``ModuleError`` if the symbol table or the table of names is damaged.
    func undefinedSymbols() throws -> [String] {
        try symbols { isDefined, isWeak in !isDefined && !isWeak }
    }

    /// The names of the symbols that others can use.
    ///
    /// - Throws: As ``undefinedSymbols()``.
    func definedSymbols() throws -> [String] {
        try symbols { isDefined, _ in isDefined }
    }

    private func symbols(_ isWanted: (_ isDefined: Bool, _ isWeak: Bool) -> Bool) throws -> [String] {
        let table = try section(".dynsym") ?? []
        var names = try StringTable(section(".dynstr") ?? [], of: path)
        guard table.count.isMultiple(of: 24) else {
            throw ModuleError.notALibrary(path, "a table of its symbols is damaged")
        }
        return try stride(from: 0, to: table.count, by: 24).compactMap { start in
            let isWeak = table[start + 4] >> 4 == 2
            let isDefined = table.read(UInt16.self, at: start + 6) != 0
            let name = table.read(UInt32.self, at: start)
            // The first entry of every table is empty.
            guard name != 0, isWanted(isDefined, isWeak) else { return nil }
            return try names.string(at: UInt64(name))
        }
    }
}

// MARK: - Other libraries

extension ELFFile {
    /// The loader's view of libraries: its own name, the names of those needed, and the folders to search.
    struct Linkage {
        /// The SONAME; nil if it has none.
        var name: String?
        var needed: [String] = []
        var runPaths: [String] = []
    }

    /// - Throws: ``ModuleError`` if a table is damaged.
    func linkage() throws -> Linkage {
        let table = try section(".dynamic") ?? []
        var names = try StringTable(section(".dynstr") ?? [], of: path)
        var linkage = Linkage()
        for start in stride(from: 0, through: table.count - 16, by: 16) {
            let value = table.read(UInt64.self, at: start + 8)
            switch table.read(Int64.self, at: start) {
            case 0: return linkage
            case 1: linkage.needed.append(try names.string(at: value))
            case 14: linkage.name = try names.string(at: value)
            case 15, 29:
                linkage.runPaths += try names.string(at: value).split(separator: ":").map(String.init)
            default: continue
            }
        }
        return linkage
    }

    /// True if the library itself defines a symbol that others can use.
    ///
    /// - Throws: ``ModuleError`` if a table is damaged.
    func defines(_ symbol: String) throws -> Bool {
        let table = try section(".dynsym") ?? []
        let names = try section(".dynstr") ?? []
        let text = Array(symbol.utf8) + [0]
        return stride(from: 0, through: table.count - 24, by: 24).contains { start in
            let name = Int(table.read(UInt32.self, at: start))
            return table.read(UInt16.self, at: start + 6) != 0 && name < names.count
                && names[name...].starts(with: text)
        }
    }
}

/// The names that the entries of a library's tables refer to by offset; each ends with a zero.
private struct StringTable {
    private let bytes: [UInt8]
    private let path: String
    /// The bytes of names that may still be read: entries that all refer to one long name would each copy it.
    private var budget: Int

    init(_ bytes: [UInt8], of path: String) {
        self.bytes = bytes
        self.path = path
        // Linkers store few names as the end of another one, so four times the size is ample.
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
