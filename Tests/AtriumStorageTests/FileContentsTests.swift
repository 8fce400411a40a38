import AtriumKit
import AtriumStorage
import Glibc
import Testing

@Suite struct FileContentsTests {
    @Test("Files of any size are read whole", arguments: [0, 1, 4095, 4096, 4097, 1_000_000])
    func reads(count: Int) throws {
        let folder = TemporaryFolder()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try AtomicFile.write(bytes, to: folder.path("a"), synchronizing: false)

        #expect(try FileContents.read(folder.path("a")) == bytes)
        #expect(try FileContents.readIfPresent(folder.path("a")) == bytes)
    }

    @Test("A file of the kernel, which claims to be empty, is read whole")
    func kernelFile() throws {
        #expect(try FileContents.read("/proc/self/maps").count > 4096)
    }

    @Test("A missing file is told, or nil where that was asked for")
    func missing() throws {
        let error = #expect(throws: StorageError.self) { try FileContents.read("/nowhere/file") }

        #expect(error?.code == .notFound)
        #expect(error?.message == "The file '/nowhere/file' can't be read: No such file or directory.")
        #expect(error?.hint == nil)
        #expect(try FileContents.readIfPresent("/nowhere/file") == nil)
    }

    @Test("A folder is not a file")
    func folder() {
        let folder = TemporaryFolder()

        let error = #expect(throws: StorageError.self) { try FileContents.readIfPresent(folder.path) }

        #expect(error?.code == .fileUnreadable)
        #expect(error?.message == "The file '\(folder.path)' can't be read: Is a directory.")
        #expect(error?.hint == "Check the permissions of the file and its folder.")
    }
}
