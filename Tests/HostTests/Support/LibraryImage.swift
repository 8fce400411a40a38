import Foundation
import Testing

/// The bytes of a library, for damaging parts of it.
///
/// Layout: System V ABI, chapter 4 ("Object Files"), in the 64-bit little-endian form.
struct LibraryImage: Sendable {
    var data: Data

    init(of module: FixtureModule) throws {
        data = try Data(contentsOf: module.library())
    }

    private var segmentTable: Int { number(at: 32, bytes: 8) }
    private var segmentCount: Int { number(at: 56, bytes: 2) }
    /// The offset of the segment table's end.
    var segmentTableEnd: Int { segmentTable + segmentCount * 56 }
    /// The offset of the section table.
    var sectionTable: Int { number(at: 40, bytes: 8) }
    private var sectionCount: Int { number(at: 60, bytes: 2) }
    /// The offset of the section table's end.
    var sectionTableEnd: Int { sectionTable + sectionCount * 64 }

    /// The size of its segments in memory, in whole pages; either the writable segments or the others.
    func mappedBytes(writable: Bool) -> Int {
        (0..<segmentCount).map { segmentTable + $0 * 56 }
            .filter { number(at: $0, bytes: 4) == 1 && (number(at: $0 + 4, bytes: 4) & 2 != 0) == writable }
            .map { segment in
                let start = number(at: segment + 16, bytes: 8)
                let end = start + number(at: segment + 40, bytes: 8)
                return (end + 4095) / 4096 * 4096 - start / 4096 * 4096
            }
            .reduce(0, +)
    }

    /// The range of a section's content.
    func range(ofSection name: String) throws -> Range<Int> {
        let names = content(ofSection: number(at: 62, bytes: 2))
        let terminatedName = Data(name.utf8) + [0]
        for index in 0..<sectionCount {
            let nameStart = names.lowerBound + number(at: sectionTable + index * 64, bytes: 4)
            if data[nameStart...].starts(with: terminatedName) { return content(ofSection: index) }
        }
        throw SectionMissing(name: name)
    }

    /// Overwrites the content of a section with one byte.
    mutating func fill(section name: String, with byte: UInt8) throws {
        let range = try range(ofSection: name)
        data.replaceSubrange(range, with: Data(repeating: byte, count: range.count))
    }

    /// Overwrites a number in the section table's entry of a section.
    mutating func write(_ number: Int, at offset: Int, ofSection name: String) throws {
        let names = content(ofSection: self.number(at: 62, bytes: 2))
        let terminatedName = Data(name.utf8) + [0]
        for index in 0..<sectionCount {
            let entry = sectionTable + index * 64
            let nameStart = names.lowerBound + self.number(at: entry, bytes: 4)
            guard data[nameStart...].starts(with: terminatedName) else { continue }
            return write(Self.bytes(number), at: entry + offset)
        }
        throw SectionMissing(name: name)
    }

    /// Overwrites a number in the segment table's first entry of a type: 1 for what is loaded, 2 for the dynamic
    /// table.
    mutating func write(_ number: Int, bytes: Int = 8, at offset: Int, ofSegment type: Int) throws {
        let entries = (0..<segmentCount).map { segmentTable + $0 * 56 }
        let entry = try #require(entries.first { self.number(at: $0, bytes: 4) == type })
        write(Array(Self.bytes(number).prefix(bytes)), at: entry + offset)
    }

    /// Makes a symbol that the library needs one that it has.
    mutating func define(_ symbol: String) throws {
        let table = try range(ofSection: ".dynsym")
        let names = try range(ofSection: ".dynstr")
        let name = try #require(data.range(of: Data(symbol.utf8) + [0], in: names)).lowerBound
        let entry = try #require(
            stride(from: table.lowerBound, to: table.upperBound, by: 24).first {
                number(at: $0, bytes: 4) == name - names.lowerBound
            })
        write([1, 0], at: entry + 6)
    }

    private static func bytes(_ number: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// The embedded manifest.
    func manifest() throws -> Data {
        data[try range(ofSection: ".atrium.manifest")]
    }

    /// Adds `distance` to the file offset of the last loaded segment.
    mutating func moveLastSegment(by distance: Int) {
        let entries = (0..<segmentCount).map { segmentTable + $0 * 56 }
        guard let last = entries.last(where: { number(at: $0, bytes: 4) == 1 }) else { return }
        let moved = UInt64(number(at: last + 8, bytes: 8) + distance)
        write((0..<8).map { UInt8(truncatingIfNeeded: moved >> ($0 * 8)) }, at: last + 8)
    }

    /// Overwrites the embedded manifest, padded with spaces.
    mutating func replaceManifest(with manifest: Data) throws {
        let range = try range(ofSection: ".atrium.manifest")
        let padding = range.count - manifest.count
        try #require(padding >= 0, "The manifest does not fit: make the one of fixture 'plain' longer.")
        data.replaceSubrange(range, with: manifest + Data(repeating: 0x20, count: padding))
    }

    /// Replaces every occurrence of `present` by `text`, which has the same length.
    mutating func replace(_ present: String, with text: String) {
        var rest = data.startIndex..<data.endIndex
        while let range = data.range(of: Data(present.utf8), in: rest) {
            data.replaceSubrange(range, with: Data(text.utf8))
            rest = range.upperBound..<data.endIndex
        }
    }

    /// Overwrites the bytes at `offset`.
    mutating func write(_ bytes: [UInt8], at offset: Int) {
        data.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    private func content(ofSection index: Int) -> Range<Int> {
        let entry = sectionTable + index * 64
        let start = number(at: entry + 24, bytes: 8)
        return start..<start + number(at: entry + 32, bytes: 8)
    }

    private func number(at offset: Int, bytes: Int) -> Int {
        data[offset..<offset + bytes].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

/// Thrown if a library lacks a section.
struct SectionMissing: Error {
    let name: String
}
