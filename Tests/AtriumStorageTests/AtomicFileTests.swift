import AtriumKit
import AtriumStorage
import Glibc
import Testing

@Suite struct AtomicFileTests {
    @Test(
        "A file is written whole, for its owner alone, and nothing is left beside it",
        arguments: [true, false])
    func writes(synchronizing: Bool) throws {
        let folder = TemporaryFolder()
        let path = folder.path("state")
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }

        try AtomicFile.write([1, 2, 3], to: path, synchronizing: synchronizing)
        chmod(path, 0o644)
        try AtomicFile.write(bytes, to: path, synchronizing: synchronizing)

        #expect(try FileContents.read(path) == bytes)
        #expect(mode(path) == 0o600)
        #expect(folder.names == ["state"])
    }

    @Test("Whatever the process allows others by default, a new file is its owner's alone")
    func modes() async {
        await #expect(processExitsWith: .success) {
            umask(0)
            let folder = TemporaryFolder()

            try AtomicFile.write([1], to: folder.path("state"))

            #expect(mode(folder.path("state")) == 0o600)
        }
    }

    @Test("A file that can't be replaced stays, and nothing is left beside it")
    func fails() throws {
        let folder = TemporaryFolder()
        let path = folder.path("state")
        mkdir(path, 0o700)

        let error = #expect(throws: StorageError.self) { try AtomicFile.write([1], to: path) }

        #expect(error?.code == .fileUnwritable)
        #expect(error?.message == "The file '\(path)' can't be written: Is a directory.")
        #expect(error?.hint == "Check the permissions of the file and its folder.")
        #expect(folder.names == ["state"])
    }

    @Test("A missing folder is named with the file")
    func missingFolder() {
        let folder = TemporaryFolder()

        let error = #expect(throws: StorageError.self) { try AtomicFile.write([1], to: folder.path("a/b")) }

        #expect(
            error?.message == "The file '\(folder.path("a/b"))' can't be written: No such file or directory.")
    }

    @Test("A full disk keeps the old file and leaves nothing beside it")
    func full() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.path("state")
            try AtomicFile.write([1, 2, 3], to: path)
            limitFileSize(10_000)

            let error = #expect(throws: StorageError.self) {
                try AtomicFile.write([UInt8](repeating: 0, count: 20_000), to: path)
            }

            #expect(error?.code == .diskFull)
            #expect(error?.message == "The file '\(path)' can't be written: File too large.")
            #expect(error?.hint == "Free some space, then try again.")
            #expect(try FileContents.read(path) == [1, 2, 3])
            #expect(folder.names == ["state"])
        }
    }

    @Test("Writers of one file never mix their bytes")
    func concurrent() async throws {
        let folder = TemporaryFolder()
        let path = folder.path("state")

        try await withThrowingTaskGroup { group in
            for number in 0..<UInt8(20) {
                group.addTask {
                    try AtomicFile.write(
                        [UInt8](repeating: number, count: 9000), to: path, synchronizing: false)
                }
            }
            try await group.waitForAll()
        }

        let bytes = try FileContents.read(path)
        #expect(bytes.count == 9000)
        #expect(Set(bytes).count == 1)
        #expect(folder.names == ["state"])
    }
}
