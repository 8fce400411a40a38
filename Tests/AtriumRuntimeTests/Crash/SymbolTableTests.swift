import AtriumTesting
import Glibc
import TestSupport
import Testing

@testable import AtriumCrash
@testable import AtriumLibraries

@Suite("Symbol names of a library file")
struct SymbolTableTests {
    private let folder = TemporaryFolder()

    /// An entry of a symbol table.
    private func entry(name: UInt32, info: UInt8 = 0x12, section: UInt16 = 1, _ start: UInt64, _ size: UInt64)
        -> [UInt8]
    {
        bytes(name) + [info, 0] + bytes(section) + bytes(start) + bytes(size)
    }

    private func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }

    private func table(_ sections: [(String, [UInt8])]) throws -> SymbolTable {
        let image = ELFImage(machine: try SystemLibrary.machine(), sections.map { (name: $0, bytes: $1) })
        return try SymbolTable(RandomAccessFile(folder.write(image.bytes, to: "library.so")))
    }

    private var entries: [UInt8] {
        entry(name: 5, 0x200, 0x10) + entry(name: 1, 0x100, 0x20)
            + entry(name: 1, info: 0x11, 0x300, 8)  // A variable.
            + entry(name: 1, section: 0, 0x400, 8)  // A symbol of another library.
            + entry(name: 900, 0x500, 8) + entry(name: 9, .max - 1, .max)
    }

    private let names = Array("\0one\0two\0far".utf8)

    @Test("An address belongs to the function that contains it")
    func lookup() throws {
        let table = try table([(".symtab", entries), (".strtab", names)])

        #expect(table.name(at: 0x100) == "one")
        #expect(table.name(at: 0x11F) == "one")
        #expect(table.name(at: 0x200) == "two")
        #expect([0, 0xFF, 0x120, 0x210, 0x300, 0x400].map(table.name(at:)).allSatisfy { $0 == nil })
        #expect(table.name(at: .max) == "far")
    }

    @Test("A name offset outside the string table gives nil")
    func badName() throws {
        #expect(try table([(".symtab", entries), (".strtab", names)]).name(at: 0x500) == nil)
        #expect(try table([(".symtab", entries), (".strtab", [])]).name(at: 0x100) == nil)
        #expect(try table([(".symtab", entries)]).name(at: 0x100) == nil)
    }

    @Test("A stripped library has the names of its exported functions; one without tables has none")
    func stripped() throws {
        let exported = try table([(".dynsym", entries), (".dynstr", names)])
        let nothing = try table([(".text", [1])])

        #expect(exported.name(at: 0x100) == "one")
        #expect(nothing.name(at: 0x100) == nil)
    }

    @Test("A table of any length and content is read without crashing")
    func damaged() throws {
        var generator = SeededGenerator(seed: 3)
        for length in 0..<entries.count {
            var bytes = Array(entries[..<length])
            for index in bytes.indices where Int.random(in: 0..<10, using: &generator) == 0 {
                bytes[index] = .random(in: 0...255, using: &generator)
            }
            let table = try table([(".symtab", bytes), (".strtab", names)])
            for offset: UInt64 in [0, 0x100, 0x200, 0x500, .max] { _ = table.name(at: offset) }
        }
    }

    @Test("Frames of a crash get the function names of a real library, within the limit")
    func realLibrary() throws {
        let path = try SystemLibrary.path()
        let library = try #require(dlopen(path, RTLD_NOW))
        let name = "frexp"
        let function = try #require(dlsym(library, name))
        let maps = String(decoding: contents("/proc/self/maps"), as: UTF8.self).split(separator: "\n")
        let start = maps.first { $0.hasSuffix(path) }?.prefix { $0 != "-" }
        let base = try #require(start.flatMap { UInt64($0, radix: 16) })
        let offset = UInt64(UInt(bitPattern: function)) - base
        // If a call is the last instruction, its return address is the start of the next function.
        let record = try #require(
            CrashRecord(
                text: """
                    crash 1
                    kind signal
                    pid 1
                    time 1
                    pc 0x1 0x\(String(offset, radix: 16)) 4 Math
                    call 0x1 0x\(String(offset + 1, radix: 16)) 4 Math
                    image 4 1 - Math \(path)
                    """))

        #expect(record.frames.allSatisfy { $0.symbol == nil })
        let symbols = record.symbolicated().frames.map { $0.symbol ?? "" }
        #expect(symbols.allSatisfy { $0.contains(name.prefix(4)) }, "\(symbols), not \(name)")
        #expect(record.symbolicated(limit: 10).frames.allSatisfy { $0.symbol == nil })
    }
}
