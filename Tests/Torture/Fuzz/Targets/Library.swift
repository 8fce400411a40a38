@_spi(Host) import AtriumKit

@testable import AtriumCrash
@testable import AtriumLibraries

extension FuzzTarget {
    /// Shared libraries: sections, symbols, the embedded manifest.
    static let library = FuzzTarget(name: "library") { bytes in
        try withFile(bytes) { path in
            let file = try RandomAccessFile(path)
            try explained { _ = try DiscoveredLibrary(file) }
            try explained {
                let library = try ELFFile(file)
                for name in [".dynsym", ".dynstr", ".dynamic", ".atrium.manifest", ""] {
                    let count = try library.section(name)?.count ?? 0
                    try require(UInt64(count) <= file.size, "the section '\(name)' is larger than the file")
                }
                let symbols = try library.undefinedSymbols()
                let count = symbols.reduce(0) { $0 + $1.utf8.count }
                try require(UInt64(count) <= file.size * 12, "the names are larger than the file")
                _ = Compatibility.missingDeclarations(symbols)
            }
            try explained {
                let symbols = try SymbolTable(file)
                for offset: UInt64 in [0, 1, 0x1000, file.size, .max] { _ = symbols.name(at: offset) }
            }
        }
    }

    /// Errors other than those for people are broken rules.
    static func explained(_ body: () throws -> Void) throws {
        do { try body() } catch let error as any ExplainedError {
            try require(!error.message.isEmpty, "an error says nothing")
        }
    }
}
