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

    /// Complete files whose tables or code are damaged.
    static let damaged = [
        refused("has no segments", "no loadable segments") { $0.write([0, 0], at: 56) },
        refused("has too many segments", "cannot read file data") { $0.write([0xFF, 0xFF], at: 56) },
        refused("has its segment table after its end", "cannot read file data") {
            $0.write([0, 0, 0, 0, 0, 1, 0, 0], at: 32)
        },
        refused("has segment entries of another size", "phentsize") { $0.write([57, 0], at: 54) },
        refused("is of version 0", "file version") { $0.write([0], at: 6) },
        refused("is for another system", "ABI invalid") { $0.write([99], at: 7) },
        refused("has a segment at an address out of reach", "failed to map") {
            try $0.write(1 << 62, at: 16, ofSegment: 1)
        },
        refused("has no dynamic table", "no dynamic section") {
            try $0.write(0, bytes: 4, at: 0, ofSegment: 2)
        },
        deadly("has its dynamic table after its end") { try $0.write(1 << 40, at: 16, ofSegment: 2) },
        deadly("has an empty dynamic table") { try $0.fill(section: ".dynamic", with: 0) },
        deadly("has a damaged hash table") { try $0.fill(section: ".gnu.hash", with: 0xFF) },
        deadly("has damaged relocations") { try $0.fill(section: ".rela.dyn", with: 0xFF) },
        deadly("has damaged relocations of functions") { try $0.fill(section: ".rela.plt", with: 0xFF) },
        deadly("has zeros for code") { try $0.fill(section: ".text", with: 0) },
        deadly("has breakpoints for code") { try $0.fill(section: ".text", with: 0xCC) },
        deadly("has damaged constants") { try $0.fill(section: ".rodata", with: 0xFF) },
        FileFault("has an empty hash table", "noEntry", "has no entry") {
            try $0.fill(section: ".gnu.hash", with: 0)
        },
        FileFault("has a damaged table of symbols", "notALibrary", "libPlain.so' is not a module library") {
            try $0.write(try $0.range(ofSection: ".dynsym").count - 5, at: 32, ofSection: ".dynsym")
        },
        FileFault("has a table of symbols after its end", "notALibrary", "is incomplete") {
            try $0.write(1 << 60, at: 32, ofSection: ".dynsym")
        },
        FileFault("has no names of symbols", "notALibrary", "the table of its symbols' names is damaged") {
            try $0.write(0, at: 32, ofSection: ".dynstr")
        },
        FileFault("has names without an end", "notALibrary", "the table of its symbols' names is damaged") {
            try $0.fill(section: ".dynstr", with: 0x41)
        },
        FileFault("has a manifest after its end", "notALibrary", "is incomplete") {
            try $0.write(1 << 60, at: 32, ofSection: ".atrium.manifest")
        },
        FileFault("has its header for a manifest", "badManifest", "is invalid") {
            try $0.write(0, at: 24, ofSection: ".atrium.manifest")
        },
        FileFault("has a copy of AtriumKit in it", "ownLibrary", "has a copy of AtriumKit in it") {
            try $0.define("$s9AtriumKit13FeatureModuleMp")
        },
    ]

    private static func refused(
        _ name: String, _ words: String, _ spoil: @escaping @Sendable (inout LibraryImage) throws -> Void
    ) -> FileFault { FileFault(name, "notLoadable", words, spoil) }

    private static func deadly(
        _ name: String, _ spoil: @escaping @Sendable (inout LibraryImage) throws -> Void
    ) -> FileFault { FileFault(name, "crashes", "Module 'Plain' was refused", spoil) }

    // MARK: - Manifests

    private static func manifest(_ name: String, _ words: String, _ text: String) -> FileFault {
        FileFault("has a manifest that \(name)", "badManifest", words) { image in
            try image.replaceManifest(with: Data(text.utf8))
        }
    }

    private static func member(_ name: String, _ words: String, _ member: String) -> FileFault {
        manifest(name, words, #"{"name":"Plain","version":"1.0.0","entry":"E","summary":"S",\#(member)}"#)
    }

    /// Manifests that the build refuses, put into the library after it.
    static let manifests = [
        manifest("is empty", "is invalid", ""), manifest("is null", "is invalid", "null"),
        manifest("is a list", "is invalid", "[]"), manifest("is an empty object", "'name'", "{}"),
        manifest("is nested deeply", "is invalid", String(repeating: "[", count: 400)),
        manifest("goes on after its end", "is invalid", #"{"name":"Plain"} {}"#),
        manifest("has half a surrogate", "is invalid", #"{"name":"\ud800"}"#),
        manifest("has a zero", "is invalid", "{\"name\":\"Plain\0\"}"),
        manifest(
            "has a number for a name", "name", #"{"name":5,"version":"1.0.0","entry":"E","summary":"S"}"#),
        manifest(
            "has a path for a name", "not a valid module name",
            #"{"name":"../Plain","version":"1.0.0","entry":"E","summary":"S"}"#),
        manifest(
            "has a name of 65 letters", "at most 64 in all",
            #"{"name":"\#(String(repeating: "A", count: 65))","version":"1.0.0","entry":"E","summary":"S"}"#),
        manifest(
            "has a version out of range", "version",
            #"{"name":"Plain","version":"99999999999999999999.0.0","entry":"E","summary":"S"}"#),
        manifest(
            "has no identifier for its entry", "Swift identifier",
            #"{"name":"Plain","version":"1.0.0","entry":"E()","summary":"S"}"#),
        manifest(
            "has a summary of two lines", "summary",
            #"{"name":"Plain","version":"1.0.0","entry":"E","summary":"S\nT"}"#),
        member("has a member twice", "name", #""name":"Plain""#),
        member("has an unknown member", "colour", #""colour":"red""#),
        member("has an unknown activation", "activation", #""activation":"never""#),
        member("requires a list", "requires", #""requires":["Session"]"#),
        member("requires no range", "requires", #""requires":{"Session":"newest"}"#),
        member("has a pattern in capitals", "screens", #""screens":{"Plain":"A screen"}"#),
        member("has two screens of one form", "screens", #""screens":{"a/:b":"A","a/:c":"B"}"#),
        member("provides a number", "provides", #""provides":[1]"#),
        member("has a configuration of no type", "configuration", #""configuration":{"size":{"type":"x"}}"#),
    ]

    static let all = truncated + other + damaged + manifests
}
