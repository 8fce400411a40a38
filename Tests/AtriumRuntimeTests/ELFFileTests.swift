@_spi(Host) import AtriumKit
import AtriumTesting
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Sections of an ELF library")
struct ELFFileTests {
    private let folder = TemporaryFolder()
    private let image: ELFImage

    init() throws {
        image = ELFImage(
            machine: try SystemLibrary.machine(),
            [(".text", [1, 2, 3]), (".atrium.manifest", Array("{}".utf8)), (".empty", [])])
    }

    private func library(_ bytes: [UInt8]) throws -> ELFFile {
        try ELFFile(RandomAccessFile(folder.write(bytes, to: "library.so")))
    }

    private func refusal(_ bytes: [UInt8]) -> ModuleError? {
        #expect(throws: ModuleError.self) { try library(bytes) }
    }

    /// The image with other bytes at an offset.
    private func image(_ offset: Int, _ bytes: UInt8...) -> [UInt8] {
        var image = image.bytes
        image.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return image
    }

    @Test("A section is found by its full name")
    func sections() throws {
        let library = try library(image.bytes)

        #expect(try library.section(".atrium.manifest") == Array("{}".utf8))
        #expect(try library.section(".text") == [1, 2, 3])
        #expect(try library.section(".empty") == [])
        #expect(try library.section(".atrium") == nil)
        #expect(try library.section("manifest") == nil)
    }

    @Test("A library of this system can be read")
    func realLibrary() throws {
        let library = try ELFFile(RandomAccessFile(try SystemLibrary.path()))

        #expect(try library.section(".dynsym")?.isEmpty == false)
        #expect(try library.section(".shstrtab")?.count ?? 0 > 10)
        #expect(try library.section(".atrium.manifest") == nil)
    }

    @Test("A file that is not ELF is refused", arguments: ["", "\u{7F}EL", "#!/bin/sh\nexit 0\n", "MZ"])
    func noELF(_ text: String) {
        let error = refusal(Array(text.utf8))

        #expect(error?.code == .notALibrary)
        #expect(
            error?.message == "'\(folder.path("library.so"))' is not a module library: it is not an ELF file."
        )
        #expect(error?.hint == "A module is the dynamic library that 'swift build' makes of it.")
    }

    @Test("A library for another machine, word size or byte order is refused")
    func otherMachine() {
        let refusals = [refusal(image(18, 0xF3, 0)), refusal(image(4, 1)), refusal(image(5, 2))]

        for error in refusals {
            #expect(error?.code == "otherMachine")
            #expect(
                error?.message
                    == "'\(folder.path("library.so"))' is a library for another machine than this one.")
            #expect(error?.hint == "Build it on this kind of machine.")
        }
    }

    @Test("An object file or an executable is refused")
    func otherType() {
        let start = "'\(folder.path("library.so"))' is not a module library:"

        #expect(refusal(image(16, 1, 0))?.message == "\(start) it is an ELF file, but not a shared library.")
        #expect(refusal(image(16, 2, 0))?.message == "\(start) it is an ELF file, but not a shared library.")
    }

    @Test("A damaged section table is refused")
    func damagedTable() {
        let message =
            "'\(folder.path("library.so"))' is not a module library: its table of sections is damaged."

        #expect(refusal(image(58, 63, 0))?.message == message)
        #expect(refusal(image(60, 0, 0))?.message == message)
        #expect(refusal(image(62, 9, 0))?.message == message)
    }

    @Test("An offset or size beyond the end of the file is refused, however large")
    func beyondEnd() throws {
        let message = "'\(folder.path("library.so"))' is incomplete: it ends before its contents do."
        let table = image.bytes.count - 5 * ELFImage.entrySize
        let manifestLength = table + 2 * ELFImage.entrySize + 32

        #expect(refusal(image(40, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF))?.message == message)
        #expect(refusal(image(40, 0xFF, 0xFF, 0xFF, 0x7F))?.message == message)
        #expect(refusal(image(60, 0xFF, 0xFF))?.message == message)
        let library = try library(image(manifestLength, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF))
        let error = #expect(throws: ModuleError.self) { try library.section(".atrium.manifest") }
        #expect(error?.message == message)
        #expect(error?.hint == "Build or copy it again.")
        #expect(try library.section(".text") == [1, 2, 3])
    }

    @Test("A truncated library is refused at any length")
    func truncated() throws {
        let bytes = image.bytes

        for length in 0..<bytes.count {
            let error = refusal(Array(bytes[..<length]))

            try #require(error?.code == .notALibrary, "\(length)")
        }
        #expect(throws: Never.self) { try library(bytes) }
    }
}
