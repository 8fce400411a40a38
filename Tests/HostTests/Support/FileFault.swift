import Foundation
import Testing

/// A damage that turns a good library into an invalid file.
struct FileFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The code of the error.
    let code: String
    /// A text that the message contains.
    let words: String
    /// Damages the image.
    let spoil: @Sendable (inout LibraryImage) throws -> Void

    private init(
        _ name: String, _ code: String, _ words: String,
        _ spoil: @escaping @Sendable (inout LibraryImage) throws -> Void
    ) {
        testDescription = name
        self.code = code
        self.words = words
        self.spoil = spoil
    }

    private static func cut(
        _ position: String, _ words: String = "is incomplete: it ends before its contents do",
        at offset: @escaping @Sendable (LibraryImage) -> Int
    ) -> FileFault {
        FileFault("ends \(position)", "notALibrary", words) { $0.data = $0.data.prefix(offset($0)) }
    }

    /// Truncated at every boundary that a reader of the header meets.
    static let truncated = [
        cut("before it begins", "it is not an ELF file") { _ in 0 },
        cut("in its first word", "it is not an ELF file") { _ in 1 },
        cut("after its first word") { _ in 4 },
        cut("before the type of file") { _ in 16 },
        cut("one byte before the end of the header") { _ in 63 },
        cut("after the header") { _ in 64 },
        cut("after the segment table") { $0.segmentTableEnd },
        cut("before the manifest") { (try? $0.range(ofSection: ".atrium.manifest").lowerBound) ?? 0 },
        cut("in the manifest") { ((try? $0.range(ofSection: ".atrium.manifest").lowerBound) ?? 0) + 10 },
        cut("before the section table") { $0.sectionTable },
        cut("in the section table") { ($0.sectionTable + $0.sectionTableEnd) / 2 },
        cut("one byte before the end of the section table") { $0.sectionTableEnd - 1 },
    ]

    /// Complete files that are not modules for this machine.
    static let other = [
        FileFault("is text", "notALibrary", "it is not an ELF file") { $0.data = Data("hello\n".utf8) },
        FileFault("is for 32 bits", "otherMachine", "for another machine") { $0.write([1], at: 4) },
        FileFault("is big-endian", "otherMachine", "for another machine") { $0.write([2], at: 5) },
        FileFault("is for another machine", "otherMachine", "for another machine") {
            $0.write([0xFF, 0x00], at: 18)
        },
        FileFault("is not a shared object", "notALibrary", "not a shared library") {
            $0.write([2, 0], at: 16)
        },
        FileFault("has section entries of another size", "notALibrary", "its table of sections is damaged") {
            $0.write([65, 0], at: 58)
        },
        FileFault("has no section names", "notALibrary", "its table of sections is damaged") {
            $0.write([0xFF, 0xFF], at: 62)
        },
        FileFault("has its section table after its end", "notALibrary", "is incomplete") {
            $0.write(Array(repeating: 0xFF, count: 8), at: 40)
        },
        FileFault("has no manifest", "noManifest", "has no manifest in it") { image in
            let name = try #require(image.data.range(of: Data(".atrium.manifest\0".utf8)))
            image.write(Array(".nobody.manifest".utf8), at: name.lowerBound)
        },
        // The loader maps it without an error; the first access raises SIGBUS.
        FileFault("has a segment after its end", "crashes", "Plain") { $0.moveLastSegment(by: 1 << 24) },
    ]

    static let all = truncated + other
}
