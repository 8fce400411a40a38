internal import AtriumLibraries

/// A writer of small ELF shared libraries without code, for modules whose classes are already in the process.
///
/// Layout: the header, the contents of the sections, the section table.
package struct ELFImage {
    package var sections: [(name: String, bytes: [UInt8])] = []
    private let machine: [UInt8]

    private static let headerSize = 64
    package static let entrySize = 64

    /// Creates an image with these sections; `machine` is the value of `e_machine`, by default this
    /// machine's.
    package init(machine: [UInt8]? = nil, _ sections: [(name: String, bytes: [UInt8])]) {
        self.machine = machine ?? [UInt8(ELFFile.machine & 0xFF), UInt8(ELFFile.machine >> 8)]
        self.sections = sections
    }

    package var bytes: [UInt8] {
        var names: [UInt8] = [0]
        var contents: [UInt8] = []
        var table = [UInt8](repeating: 0, count: Self.entrySize)
        for section in sections {
            table += entry(
                name: names.count, offset: Self.headerSize + contents.count, length: section.bytes.count)
            names += Array(section.name.utf8) + [0]
            contents += section.bytes
        }
        table += entry(name: names.count, offset: Self.headerSize + contents.count, length: names.count + 10)
        names += Array(".shstrtab\0".utf8)
        contents += names
        return header(tableOffset: Self.headerSize + contents.count) + contents + table
    }

    private func header(tableOffset: Int) -> [UInt8] {
        var header: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
        header += number(3, 2) + machine + number(1, 4)
        header += number(0, 8) + number(0, 8) + number(tableOffset, 8)
        header += number(0, 4) + number(64, 2) + number(0, 2) + number(0, 2)
        header += number(Self.entrySize, 2) + number(sections.count + 2, 2) + number(sections.count + 1, 2)
        return header
    }

    private func entry(name: Int, offset: Int, length: Int) -> [UInt8] {
        number(name, 4) + number(1, 4) + number(0, 16) + number(offset, 8) + number(length, 8) + number(0, 24)
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> ($0 * 8)) : 0 }
    }
}
