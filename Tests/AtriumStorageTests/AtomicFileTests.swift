import AtriumKit
import AtriumStorage
import Glibc
import TestSupport
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
        #expect(folder.names() == ["state"])
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
        #expect(folder.names() == ["state"])
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
            #expect(folder.names() == ["state"])
        }
    }

    @Test("What a killed writer left is removed, and nothing that only looks like it")
    func leftovers() throws {
        let folder = TemporaryFolder()
        let dead = Self.endedProcess()
        let kept = [
            "a.\(getpid())-1.tmp", "a.1-1.tmp", ".\(dead)-1.tmp", "\(dead)-1.tmp", "a.\(dead).tmp",
            "a.\(dead)-.tmp",
            "a.0\(dead)-1.tmp", "a.\(dead)-1.tmp.x", "a.\(dead)-1", "a.+\(dead)-1.tmp", "a.\(dead)--1.tmp",
            "a.\(dead)-0.tmp", ".tmp", "a.tmp", "state",
        ]
        let removed = ["a.json.\(dead)-1.tmp", "b.\(dead)-12.tmp"]
        for name in kept + removed { try AtomicFile.write([1], to: folder.path(name), synchronizing: false) }
        symlink(folder.path("state"), folder.path("link.\(dead)-1.tmp"))
        mkdir(folder.path("folder.\(dead)-1.tmp"), 0o700)
        mkdir(folder.path("below"), 0o700)
        try AtomicFile.write([1], to: folder.path("below/a.\(dead)-1.tmp"), synchronizing: false)

        AtomicFile.removeLeftovers(in: folder.path)
        AtomicFile.removeLeftovers(in: folder.path("nowhere"))

        let others = ["link.\(dead)-1.tmp", "folder.\(dead)-1.tmp", "below"]
        #expect(folder.names() == (kept + others).sorted())
        #expect(access(folder.path("below/a.\(dead)-1.tmp"), F_OK) == 0)
    }

    @Test("Preparing a folder of ours removes what killed writers left, and leaves another's folder alone")
    func leftoversInDataFolder() throws {
        let ours = TemporaryFolder()
        let other = TemporaryFolder()
        let name = "state.json.\(Self.endedProcess())-1.tmp"
        try DataFolder(explicit: ours.path).prepare()
        for folder in [ours, other] { try AtomicFile.write([1], to: folder.path(name), synchronizing: false) }

        try DataFolder(explicit: ours.path).prepare()
        try DataFolder(explicit: other.path).prepare()

        #expect(ours.names() == ["atrium-data"])
        #expect(other.names() == [name])
    }

    /// The id of a process that is not there any more.
    private static func endedProcess() -> pid_t {
        var process = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(arguments[0]) }
        posix_spawn(&process, "/bin/true", nil, nil, &arguments, nil)
        waitpid(process, nil, 0)
        return process
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
        #expect(folder.names() == ["state"])
    }
}
