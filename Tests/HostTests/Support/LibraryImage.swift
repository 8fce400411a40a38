import Foundation
import Testing

/// The bytes of a library, to make something about them wrong.
///
/// Layout: System V ABI, chapter 4 ("Object Files"), the 64-bit little-endian form.
struct LibraryImage: Sendable {
    var data: Data

    init(of module: FixtureModule) throws {
        data = try Data(contentsOf: module.library())
    }

    private var segmentTable: Int { number(at: 32, bytes: 8) }
    private var segmentCount: Int { number(at: 56, bytes: 2) }
    /// Where the table of segments ends.
    var segmentTableEnd: Int { segmentTable + segmentCount * 56 }
    /// Where the table of sections begins.
    var sectionTable: Int { number(at: 40, bytes: 8) }
    private var sectionCount: Int { number(at: 60, bytes: 2) }
    /// Where the table of sections ends.
    var sectionTableEnd: Int { sectionTable + sectionCount * 64 }

    /// How many bytes its segments take in memory, in whole pages: those that are written to, or the others.
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

    /// Where the content of the section called `name` is.
    func range(ofSection name: String) throws -> Range<Int> {
        let names = content(ofSection: number(at: 62, bytes: 2))
        let terminatedName = Data(name.utf8) + [0]
        for index in 0..<sectionCount {
            let nameStart = names.lowerBound + number(at: sectionTable + index * 64, bytes: 4)
            if data[nameStart...].starts(with: terminatedName) { return content(ofSection: index) }
        }
        throw SectionMissing(name: name)
    }

    /// The manifest in it.
    func manifest() throws -> Data {
        data[try range(ofSection: ".atrium.manifest")]
    }

    /// Moves what the last segment that is mapped says about its offset in the file by a number of bytes.
    mutating func moveLastSegment(by distance: Int) {
        let entries = (0..<segmentCount).map { segmentTable + $0 * 56 }
        guard let last = entries.last(where: { number(at: $0, bytes: 4) == 1 }) else { return }
        let moved = UInt64(number(at: last + 8, bytes: 8) + distance)
        write((0..<8).map { UInt8(truncatingIfNeeded: moved >> ($0 * 8)) }, at: last + 8)
    }

    /// Writes `manifest` over the one in it, and spaces over the rest.
    mutating func replaceManifest(with manifest: Data) throws {
        let range = try range(ofSection: ".atrium.manifest")
        let padding = range.count - manifest.count
        try #require(padding >= 0, "The manifest has no room: make the one of fixture 'plain' longer.")
        data.replaceSubrange(range, with: manifest + Data(repeating: 0x20, count: padding))
    }

    /// Writes `text` over every occurrence of `present`, which is as long.
    mutating func replace(_ present: String, with text: String) {
        var rest = data.startIndex..<data.endIndex
        while let range = data.range(of: Data(present.utf8), in: rest) {
            data.replaceSubrange(range, with: Data(text.utf8))
            rest = range.upperBound..<data.endIndex
        }
    }

    /// Writes bytes over those at `offset`.
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

/// That a library lacks a section.
struct SectionMissing: Error {
    let name: String
}
