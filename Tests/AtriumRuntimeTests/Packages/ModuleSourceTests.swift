@_spi(Host) import AtriumKit
import AtriumTesting
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Sources of modules")
struct ModuleSourceTests {
    private let folder = TemporaryFolder()
    private static let expectation =
        "Give a module library, a folder with some, or the folder of a Swift package."

    @discardableResult
    private func library(_ name: String, section: String = ".atrium.manifest") throws -> String {
        folder.write(ELFImage(machine: try SystemLibrary.machine(), [(section, [1])]).bytes, to: name)
    }

    private func refusal(_ path: String) -> ModuleError? {
        #expect(throws: ModuleError.self) { try ModuleSource(path: path) }
    }

    @Test("A file with a manifest is a library, whatever its name, also through a symbolic link")
    func library() throws {
        let path = try library("module.bin")
        symlink("module.bin", folder.path("link.so"))

        #expect(try ModuleSource(path: path) == .library(path))
        #expect(try ModuleSource(path: folder.path("link.so")) == .library(folder.path("link.so")))
    }

    @Test("A folder of libraries gives those with a manifest, sorted by name")
    func folderOfLibraries() throws {
        let paths = [try library("libB.so"), try library("libA.so")]
        try library("libOther.so", section: ".text")
        try library("libC.so.1")
        try library("C.so")
        folder.write("text".utf8, to: "libText.so")

        #expect(try ModuleSource(path: folder.path) == .folder(paths.reversed()))
    }

    @Test("A folder with a Package.swift is a package, even if it has libraries")
    func package() throws {
        try library("libA.so")
        folder.write("".utf8, to: "Package.swift")

        #expect(try ModuleSource(path: folder.path) == .package(folder.path))
    }

    @Test("Anything else is refused with what it is and what was expected")
    func refusals() throws {
        folder.write("text".utf8, to: "text")
        mkfifo(folder.path("pipe"), 0o600)

        #expect(refusal(folder.path("none"))?.message == "There is nothing at '\(folder.path)/none'.")
        #expect(refusal(folder.path("none"))?.code == .libraryNotFound)
        #expect(refusal(folder.path("none"))?.hint == Self.expectation)
        #expect(
            refusal(folder.path("text/below"))?.message
                == "'\(folder.path)/text/below' can't be read: Not a directory.")
        #expect(
            refusal(folder.path("text"))?.message
                == "'\(folder.path)/text' is not a module library: it is not an ELF file.")
        #expect(
            refusal(folder.path("pipe"))?.message
                == "'\(folder.path)/pipe' is not a module library: it is neither a file nor a folder.")
        #expect(
            refusal(folder.path)?.message
                == "The folder '\(folder.path)' has neither a Package.swift nor libraries (lib*.so) in it.")
        try library("libOther.so", section: ".text")
        #expect(refusal(folder.path("libOther.so"))?.code == "noManifest")
        #expect(
            refusal(folder.path)?.message
                == "The folder '\(folder.path)' has one library in it, which has no manifest, so it is not a module."
        )
        try library("libMore.so", section: ".text")
        #expect(refusal(folder.path)?.code == .noModules)
        #expect(
            refusal(folder.path)?.message
                == "The folder '\(folder.path)' has 2 libraries in it, none of which has a manifest, "
                + "so they are not modules.")
        #expect(refusal(folder.path)?.hint == Self.expectation)
    }
}
