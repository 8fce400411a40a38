/// Writes the symbol tables of a library.
///
/// Layout: System V ABI, chapter 4 ("Symbol Table").
struct SymbolTables {
    /// The section `.dynsym`, whose first entry is null.
    private(set) var symbols = [UInt8](repeating: 0, count: SymbolTables.symbolSize)
    /// The section `.dynstr`.
    private(set) var names: [UInt8] = [0]

    static let symbolSize = 24

    /// The sections for ``ELFImage``.
    var sections: [(name: String, bytes: [UInt8])] {
        [(".dynsym", symbols), (".dynstr", names)]
    }

    /// Adds a symbol; `section` is 0 if it is undefined.
    mutating func add(_ name: String, section: Int = 0, isWeak: Bool = false) {
        symbols += number(names.count, 4) + [isWeak ? 0x20 : 0x10, 0] + number(section, 2) + number(0, 16)
        names += Array(name.utf8) + [0]
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> ($0 * 8)) : 0 }
    }
}
