@_spi(Host) import AtriumKit
import AtriumTesting
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Undefined symbols of a library")
struct ELFSymbolTests {
    private let folder = TemporaryFolder()

    private func library(_ sections: [(name: String, bytes: [UInt8])]) throws -> ELFFile {
        let image = ELFImage(machine: try SystemLibrary.machine(), sections)
        return try ELFFile(RandomAccessFile(folder.write(image.bytes, to: "library.so")))
    }

    private var message: String { "'\(folder.path("library.so"))' is not a module library:" }

    @Test("Undefined symbols are listed in order; weak and defined ones are left out")
    func symbols() throws {
        var tables = SymbolTables()
        tables.add("first")
        tables.add("defined", section: 7)
        tables.add("weak", isWeak: true)
        tables.add("")
        tables.add("second")

        let library = try library(tables.sections)

        #expect(try library.undefinedSymbols() == ["first", "", "second"])
    }

    @Test("A library without symbol tables has no undefined symbols")
    func none() throws {
        let library = try library([(".text", [1])])

        #expect(try library.undefinedSymbols() == [])
    }

    @Test("The undefined symbols of a library of this system are found in this process")
    func real() throws {
        let library = try ELFFile(RandomAccessFile(try SystemLibrary.path()))

        let symbols = try library.undefinedSymbols()

        #expect(!symbols.isEmpty)
        #expect(symbols.filter { !LoadedSymbols.contains($0) } == [])
        // A symbol that it defines, and a weak one.
        #expect(!symbols.contains("cos") && !symbols.contains("__cxa_finalize"))
    }

    @Test("A symbol table whose size is not a multiple of its entry size is damaged")
    func sizes() throws {
        var tables = SymbolTables()
        tables.add("first")
        let library = try library([(".dynsym", tables.symbols.dropLast()), (".dynstr", tables.names)])

        let error = #expect(throws: ModuleError.self) { try library.undefinedSymbols() }

        #expect(error?.code == .notALibrary)
        #expect(error?.message == "\(message) a table of its symbols is damaged.")
    }

    @Test("A name outside the string table, or without a terminator, is damage")
    func names() throws {
        var tables = SymbolTables()
        tables.add("first")
        for names in [[], Array(tables.names.dropLast(6)), Array(tables.names.dropLast(1)), [0]] {
            let library = try library([(".dynsym", tables.symbols), (".dynstr", names)])

            let error = #expect(throws: ModuleError.self) { try library.undefinedSymbols() }

            #expect(error?.message == "\(message) the table of its symbols' names is damaged.")
        }
    }

    @Test("Many symbols with one long name are refused before they fill the memory")
    func longNames() throws {
        let long = String(repeating: "x", count: 100_000)
        var tables = SymbolTables()
        tables.add(long)
        let entry = tables.symbols.suffix(SymbolTables.symbolSize)
        let symbols = (0..<1_000).reduce(into: [UInt8]()) { symbols, _ in symbols += entry }

        let library = try library([(".dynsym", symbols), (".dynstr", tables.names)])
        let error = #expect(throws: ModuleError.self) { try library.undefinedSymbols() }

        #expect(error?.message == "\(message) the table of its symbols' names is damaged.")
    }

    @Test("A section above 64 MB is not read")
    func sparse() throws {
        var tables = SymbolTables()
        tables.add("first")
        var image = ELFImage(machine: try SystemLibrary.machine(), tables.sections).bytes
        let table = image.count - 4 * ELFImage.entrySize
        let length = table + ELFImage.entrySize + 32
        image.replaceSubrange(length..<length + 8, with: [1, 0, 0, 4, 0, 0, 0, 0])
        let path = folder.write(image, to: "library.so")
        #expect(truncate(path, 1 << 27) == 0)

        let library = try ELFFile(RandomAccessFile(path))
        let error = #expect(throws: ModuleError.self) { try library.undefinedSymbols() }

        #expect(error?.code == .notALibrary)
        #expect(error?.message == "\(message) a section of it is larger than 64 MB.")
    }
}
