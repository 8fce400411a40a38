@_spi(Host) import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Reading parts of a file")
struct RandomAccessFileTests {
    private let folder = TemporaryFolder()

    @Test("Ranges inside the file are read; others give nil")
    func parts() throws {
        let file = try RandomAccessFile(folder.write([1, 2, 3, 4], to: "file"))

        #expect(file.size == 4)
        #expect(try file.bytes(at: 1, count: 2) == [2, 3])
        #expect(try file.bytes(at: 4, count: 0) == [])
        #expect(try file.bytes(at: 3, count: 2) == nil)
        #expect(try file.bytes(at: 5, count: 0) == nil)
        #expect(try file.bytes(at: 1, count: .max) == nil)
        #expect(try file.bytes(at: .max, count: 1) == nil)
    }

    @Test("A file that was truncated after it was opened gives nil")
    func cutOff() throws {
        let file = try RandomAccessFile(folder.write([1, 2, 3, 4], to: "file"))
        truncate(folder.path("file"), 2)

        #expect(try file.bytes(at: 0, count: 4) == nil)
        #expect(try file.bytes(at: 0, count: 2) == [1, 2])
    }

    @Test("A file that is larger than any library is not opened, sparse or not")
    func tooLarge() throws {
        let path = folder.write([1, 2, 3, 4], to: "file")
        truncate(path, off_t(RandomAccessFile.sizeLimit))
        #expect(try RandomAccessFile(path).bytes(at: 0, count: 4) == [1, 2, 3, 4])
        truncate(path, 10 << 30)

        let error = #expect(throws: ModuleError.self) { try RandomAccessFile(path) }

        #expect(error?.code == "tooLarge")
        #expect(error?.message == "'\(path)' is too large: it has 10240 MB, and a library 256 at most.")
    }

    @Test("A missing file is reported with the system's reason")
    func missing() {
        let path = folder.path("missing")
        let error = #expect(throws: ModuleError.self) { try RandomAccessFile(path) }

        #expect(error?.code == .libraryNotFound)
        #expect(error?.message == "The library '\(path)' can't be read: No such file or directory.")
        #expect(error?.hint == "Check the path, and the permissions of the file.")
    }

    @Test("A folder, a device or a pipe is refused without blocking")
    func notRegular() throws {
        mkfifo(folder.path("pipe"), 0o600)

        for path in [folder.path, "/dev/zero", folder.path("pipe")] {
            let error = #expect(throws: ModuleError.self) { try RandomAccessFile(path) }

            #expect(error?.message == "'\(path)' is not a module library: it is not a regular file.")
        }
    }

    @Test("The identity is the same while the file is unchanged, and differs after a change")
    func identity() throws {
        let path = folder.write([1, 2, 3], to: "file")
        let first = try RandomAccessFile(path).identity

        #expect(try RandomAccessFile(path).identity == first)

        folder.write([1, 2, 3, 4], to: "file")
        let second = try RandomAccessFile(path).identity

        #expect(second != first)
        #expect(try RandomAccessFile(folder.write([1, 2, 3, 4], to: "other")).identity != second)
    }

    @Test("Inodes and devices of any size make an identity")
    func largeInode() {
        var status = stat()
        (status.st_ino, status.st_dev) = (.max, .max)
        let last = FileSystem.identity(status)
        status.st_ino -= 1

        #expect(FileSystem.identity(status) != last)
    }
}
