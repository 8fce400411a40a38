import Glibc
import TestSupport
import Testing

@testable import AtriumKit

@Suite("Atomic files")
struct AtomicFileTests {
    private let folder = TemporaryFolder()

    private func write(_ text: String, to path: String, replaces: Bool = false, isUnnamed: Bool = true) throws
    {
        let file = try AtomicFile(path, replaces: replaces, isUnnamed: isUnnamed)
        try file.write(Array(text.utf8))
        try file.finish()
    }

    /// A file on its way, locked where its writer lives.
    private func makeLeftover(_ name: String, isLocked: Bool = false) -> CInt {
        let descriptor = open(folder.path(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if isLocked { flock(descriptor, LOCK_EX) }
        return descriptor
    }

    @Test("A new file has the permissions that the umask leaves", arguments: [true, false])
    func permissions(_ isUnnamed: Bool) throws {
        let (path, other) = (folder.path("a"), folder.path("b"))

        try write("a", to: path, isUnnamed: isUnnamed)

        close(open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666))
        #expect(mode(path) == mode(other))
        #expect(folder.names() == ["a", "b"])
    }

    @Test("One that replaces another keeps its permissions", arguments: [true, false])
    func kept(_ isUnnamed: Bool) throws {
        let path = folder.write("before".utf8, to: "a")
        chmod(path, 0o640)

        try write("after", to: path, replaces: true, isUnnamed: isUnnamed)

        #expect(contents(path) == Array("after".utf8))
        #expect(mode(path) == 0o640)
        #expect(folder.names() == ["a"])
    }

    @Test("Without leave to replace, what is there stays", arguments: [true, false])
    func exists(_ isUnnamed: Bool) throws {
        let path = folder.write("before".utf8, to: "a")

        #expect(throws: FileError.exists(path)) {
            try write("after", to: path, isUnnamed: isUnnamed)
        }

        #expect(contents(path) == Array("before".utf8))
        #expect(folder.names() == ["a"])
    }

    @Test("What came to be there meanwhile stays, too", arguments: [true, false])
    func cameMeanwhile(_ isUnnamed: Bool) throws {
        let path = folder.path("a")
        let file = try AtomicFile(path, replaces: false, isUnnamed: isUnnamed)
        try file.write(Array("after".utf8))
        _ = folder.write("meanwhile".utf8, to: "a")

        var error: FileError?
        do { try file.finish() } catch let thrown { error = thrown }

        #expect(error == .exists(path))
        #expect(error?.hint == "Name another file.")
        #expect(contents(path) == Array("meanwhile".utf8))
        #expect(folder.names() == ["a"])
    }

    @Test("A writer that goes without finishing leaves what was there", arguments: [true, false])
    func abandoned(_ isUnnamed: Bool) throws {
        let path = folder.write("before".utf8, to: "a")
        do {
            let file = try AtomicFile(path, replaces: true, isUnnamed: isUnnamed)
            try file.write(Array("after".utf8))
            #expect(folder.names().count == (isUnnamed ? 1 : 2))
        }

        #expect(contents(path) == Array("before".utf8))
        #expect(folder.names() == ["a"])
    }

    @Test("Links stay, and what they lead to is written, there or not", arguments: [true, false])
    func links(_ isThere: Bool) throws {
        mkdir(folder.path("data"), 0o700)
        let target = isThere ? folder.write("before".utf8, to: "data/a") : folder.path("data/a")
        symlink("data/a", folder.path("second"))
        symlink("second", folder.path("first"))

        try write("after", to: folder.path("first"), replaces: isThere)

        var status = stat()
        lstat(folder.path("first"), &status)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
        #expect(contents(target) == Array("after".utf8))
        #expect(throws: FileError.exists(folder.path("first"))) {
            try write("again", to: folder.path("first"))
        }
    }

    @Test("A link that leads to itself is refused")
    func circle() {
        symlink("a", folder.path("a"))

        #expect(throws: FileError.unwritable(folder.path("a"), ELOOP)) {
            try write("x", to: folder.path("a"), replaces: true)
        }
    }

    @Test("What a killed writer left goes with the next one; what is in use, or of others, stays")
    func leftovers() throws {
        close(makeLeftover(".atrium-new-left"))
        let used = makeLeftover(".atrium-new-used", isLocked: true)
        defer { close(used) }
        _ = folder.write("x".utf8, to: "atrium-new-a")
        symlink(folder.path("atrium-new-a"), folder.path(".atrium-new-link"))
        mkdir(folder.path(".atrium-new-folder"), 0o700)
        defer { rmdir(folder.path(".atrium-new-folder")) }

        try write("a", to: folder.path("a"))

        #expect(
            folder.names() == [
                ".atrium-new-folder", ".atrium-new-link", ".atrium-new-used", "a", "atrium-new-a",
            ])
    }

    @Test("A process that is killed leaves nothing, or what the next one removes", arguments: [true, false])
    func killed(_ isUnnamed: Bool) async throws {
        let path = folder.write("before".utf8, to: "a")

        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, isUnnamed = isUnnamed as Bool] in
            let file = try AtomicFile(path, replaces: true, isUnnamed: isUnnamed)
            try file.write(Array("after".utf8))
            kill(getpid(), SIGKILL)
        }

        #expect(contents(path) == Array("before".utf8))
        #expect(folder.names().count == (isUnnamed ? 1 : 2))
        try write("next", to: folder.path("b"))
        #expect(folder.names() == ["a", "b"])
    }

    @Test("The folder of a transfer that was killed goes with the next one; one in use stays")
    func folders() throws {
        mkdir(folder.path("atrium-scratch-left"), 0o700)
        _ = folder.write("x".utf8, to: "atrium-scratch-left/export.jsonl")
        do {
            let first = try ScratchFolder(in: folder.path)
            let second = try ScratchFolder(in: folder.path)

            #expect(folder.names().count == 2)
            #expect(first.path("a") != second.path("a"))
        }

        #expect(folder.names() == [])
    }

    // MARK: - Whole files

    @Test(
        "A file is written whole, for its owner alone, and nothing is left beside it",
        arguments: [true, false])
    func writes(synchronizing: Bool) throws {
        let path = folder.path("state")
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }

        try AtomicFile.write([1, 2, 3], to: path, synchronizing: synchronizing)
        chmod(path, 0o644)
        try AtomicFile.write(bytes, to: path, synchronizing: synchronizing)

        #expect(contents(path) == bytes)
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
        let path = folder.path("state")
        mkdir(path, 0o700)

        let error = #expect(throws: FileError.self) { try AtomicFile.write([1], to: path) }

        #expect(error?.code == .fileUnwritable)
        #expect(error?.message == "The file '\(path)' can't be written: Is a directory.")
        #expect(error?.hint == "Check the permissions of the file and its folder.")
        #expect(folder.names() == ["state"])
    }

    @Test("A missing folder is named with the file")
    func missingFolder() {
        let error = #expect(throws: FileError.self) { try AtomicFile.write([1], to: folder.path("a/b")) }

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

            let error = #expect(throws: FileError.self) {
                try AtomicFile.write([UInt8](repeating: 0, count: 20_000), to: path)
            }

            #expect(error?.code == .diskFull)
            #expect(error?.message == "The file '\(path)' can't be written: File too large.")
            #expect(error?.hint == "Free some space, then try again.")
            #expect(contents(path) == [1, 2, 3])
            #expect(folder.names() == ["state"])
        }
    }

    @Test("Writers of one file never mix their bytes")
    func concurrent() async throws {
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

        let bytes = contents(path)
        #expect(bytes.count == 9000)
        #expect(Set(bytes).count == 1)
        #expect(folder.names() == ["state"])
    }
}

private func mode(_ path: String) -> mode_t {
    var status = stat()
    stat(path, &status)
    return status.st_mode & 0o7777
}

/// Limits the size of files that this process writes.
private func limitFileSize(_ bytes: UInt) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    getrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = bytes
    setrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit)
}
