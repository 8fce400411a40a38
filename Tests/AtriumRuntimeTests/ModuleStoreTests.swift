@_spi(Host) import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Private copies of libraries")
struct ModuleStoreTests {
    private let folder = TemporaryFolder()

    private func copy(_ name: String) throws -> StoredLibrary {
        try ModuleStore(folder: folder.path("store")).copy(RandomAccessFile(folder.path(name))).library
    }

    private var copies: [String] { folder.names(in: "store").filter { $0.hasSuffix(".so") } }

    @Test("A copy has the content of the file and is named by its digest")
    func copying() throws {
        folder.write("content".utf8, to: "a.so")

        let library = try copy("a.so")

        #expect(contents(library.path) == Array("content".utf8))
        #expect(library.digest == ContentDigest(of: Array("content".utf8)).description)
        #expect(library.path == folder.path("store/\(library.digest).so"))
        #expect(folder.names(in: "store") == ["\(library.digest).so", "known"])
    }

    @Test("Equal contents are stored once, whatever the file's name")
    func sameContent() throws {
        folder.write("content".utf8, to: "a.so")
        folder.write("content".utf8, to: "b.so")

        let paths = [try copy("a.so").path, try copy("b.so").path, try copy("a.so").path]

        #expect(Set(paths).count == 1)
        #expect(copies.count == 1)
        #expect(folder.names(in: "store/known").count == 2)
    }

    @Test("A known file is not read again")
    func knownMark() throws {
        folder.write("content".utf8, to: "a.so")
        _ = try copy("a.so")
        let mark = folder.path("store/known/\(try RandomAccessFile(folder.path("a.so")).identity)")
        folder.write("CONTENT".utf8, to: "store/other.so")
        unlink(mark)
        symlink("other/\(try RandomAccessFile(folder.path("store/other.so")).identity)", mark)

        let library = try copy("a.so")

        #expect(library.digest == "other")
        #expect(library.path == folder.path("store/other.so"))
    }

    @Test("A copy that has become too large to read is replaced")
    func swollen() throws {
        folder.write("content".utf8, to: "a.so")
        let library = try copy("a.so")
        truncate(library.path, 10 << 30)

        #expect(ModuleStore(folder: folder.path("store")).library(library.digest) == nil)
        #expect(try copy("a.so") == library)
        #expect(contents(library.path) == Array("content".utf8))
    }

    @Test("A changed file gets a copy of its own, and the former copy is unchanged")
    func changedFile() throws {
        folder.write("one".utf8, to: "a.so")
        let first = try copy("a.so")
        folder.write("two".utf8, to: "a.so")

        let second = try copy("a.so")

        #expect(second.path != first.path)
        #expect(contents(first.path) == Array("one".utf8))
        #expect(contents(second.path) == Array("two".utf8))
    }

    @Test(
        "A missing, partial, longer or changed copy is replaced, also for known files",
        arguments: ["", "cont", "content+", "CONTENT"])
    func damagedCopy(_ damage: String) throws {
        folder.write("content".utf8, to: "a.so")
        let first = try copy("a.so")
        folder.write(damage.utf8, to: "store/\(first.digest).so")

        let second = try copy("a.so")

        #expect(second.path == first.path)
        #expect(contents(second.path) == Array("content".utf8))
        #expect(copies.count == 1)

        unlink(second.path)

        #expect(contents(try copy("a.so").path) == Array("content".utf8))
    }

    @Test(
        "A damaged mark of a known file is ignored",
        arguments: ["", "missing", "../known", "missing/0", "a/b/c"])
    func damagedMark(_ target: String) throws {
        folder.write("content".utf8, to: "a.so")
        _ = try copy("a.so")
        let mark = folder.path("store/known/\(try RandomAccessFile(folder.path("a.so")).identity)")
        unlink(mark)
        if !target.isEmpty { symlink(target, mark) }

        #expect(contents(try copy("a.so").path) == Array("content".utf8))
    }

    @Test("A store that can't be created is reported")
    func unwritable() throws {
        let library = try RandomAccessFile(folder.write("content".utf8, to: "a.so"))
        let path = folder.path("missing/store")

        let error = #expect(throws: ModuleError.self) { try ModuleStore(folder: path).copy(library) }

        #expect(error?.code == .storeUnwritable)
        #expect(error?.message == "The folder '\(path)' can't be created: No such file or directory.")
        #expect(error?.hint == "Choose another data folder with --data DIR.")
    }
}
