@_spi(Host) import AtriumKit
import AtriumTesting
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Damaged libraries are read or refused without a crash")
struct ELFMutationTests {
    private let folder = TemporaryFolder()
    private let names = [".text", ".dynsym", ".atrium.manifest", ".shstrtab", ".bss", ""]

    /// Reads everything that the host would read of a file.
    private func read(_ path: String) throws {
        do {
            let file = try RandomAccessFile(path)
            let library = try ELFFile(file)
            for name in names {
                let count = try library.section(name)?.count ?? 0
                try #require(UInt64(count) <= file.size)
            }
            let symbols = try library.undefinedSymbols()
            let count = symbols.reduce(0) { $0 + $1.utf8.count }
            // Each byte of the string table may be read four times; an invalid one becomes three bytes of
            // UTF-8.
            try #require(UInt64(count) <= file.size * 12)
            _ = Compatibility.missingDeclarations(symbols)
        } catch let error as ModuleError {
            try #require([.notALibrary, "otherMachine"].contains(error.code), "\(error)")
        }
    }

    /// Random bytes, half of them boundary values that often break lengths and offsets.
    private func byte(_ generator: inout SeededGenerator) -> UInt8 {
        let telling: [UInt8] = [0, 1, 0x3F, 0x40, 0x7F, 0x80, 0xFF]
        return Bool.random(using: &generator)
            ? .random(in: 0...255, using: &generator) : telling.randomElement(using: &generator) ?? 0
    }

    @Test("A small library with random bytes changed", arguments: 0..<4)
    func small(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let image = ELFImage(
            machine: try SystemLibrary.machine(),
            [(".text", [1, 2, 3]), (".atrium.manifest", Array("{}".utf8))]
        ).bytes
        for _ in 0..<800 {
            var bytes = image
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                // The magic, class, byte order, type and machine stay, so that the rest is parsed.
                let index = Int.random(in: 20..<bytes.count, using: &generator)
                bytes[index] = byte(&generator)
            }
            if Int.random(in: 0..<8, using: &generator) == 0 {
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
            }

            try read(folder.write(bytes, to: "library.so"))
        }
    }

    @Test("Symbol tables with random bytes changed", arguments: 0..<4)
    func tables(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var tables = SymbolTables()
        tables.add("$s9AtriumKit9NavigatorP7presentyyAA11Destination_pYaKFTj")
        tables.add("$s8Contract3FooV9AtriumKit4ViewAAMc", isWeak: true)
        tables.add("$s9AtriumKit8TimestampV1loiySbAC_ACtFZ", section: 3)
        let machine = try SystemLibrary.machine()
        for _ in 0..<800 {
            var sections = tables.sections
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let section = Int.random(in: 0..<sections.count, using: &generator)
                let index = Int.random(in: 0..<sections[section].bytes.count, using: &generator)
                sections[section].bytes[index] = byte(&generator)
            }
            if Int.random(in: 0..<8, using: &generator) == 0 {
                let section = Int.random(in: 0..<sections.count, using: &generator)
                sections[section].bytes.removeLast(
                    Int.random(in: 0..<sections[section].bytes.count, using: &generator))
            }

            try read(folder.write(ELFImage(machine: machine, sections).bytes, to: "library.so"))
        }
    }

    @Test(
        "A library of this system with its header or section table changed, or truncated",
        arguments: 0..<2)
    func real(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let original = contents(try SystemLibrary.path())
        let path = folder.write(original, to: "library.so")
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let table = original[40..<48].reversed().reduce(0) { $0 << 8 | Int($1) }
        try #require(table < original.count)
        for _ in 0..<150 {
            let offset =
                Bool.random(using: &generator)
                ? Int.random(in: 16..<64, using: &generator)
                : Int.random(in: table..<original.count, using: &generator)
            var damage = [byte(&generator)]
            pwrite(descriptor, &damage, 1, off_t(offset))

            try read(path)

            damage = [original[offset]]
            pwrite(descriptor, &damage, 1, off_t(offset))
        }

        for _ in 0..<20 {
            ftruncate(descriptor, off_t(Int.random(in: 0..<original.count, using: &generator)))

            try read(path)
        }
    }
}
