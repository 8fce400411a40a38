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

    /// Creates a writer's temporary file, locked if the writer is alive.
    private func makeLeftover(_ name: String, isLocked: Bool = false) -> CInt {
        let descriptor = open(folder.path(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if isLocked { flock(descriptor, LOCK_EX) }
        return descriptor
    }

    @Test("A new file has the permissions that the umask allows", arguments: [true, false])
    func permissions(_ isUnnamed: Bool) throws {
        let (path, other) = (folder.path("a"), folder.path("b"))

        try write("a", to: path, isUnnamed: isUnnamed)

        close(open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666))
        #expect(mode(path) == mode(other))
        #expect(folder.names() == ["a", "b"])
    }

    @Test("Replacing a file keeps its permissions", arguments: [true, false])
    func kept(_ isUnnamed: Bool) throws {
        let path = folder.write("before".utf8, to: "a")
        chmod(path, 0o640)

        try write("after", to: path, replaces: true, isUnnamed: isUnnamed)

        #expect(contents(path) == Array("after".utf8))
        #expect(mode(path) == 0o640)
        #expect(folder.names() == ["a"])
    }

    @Test("Without 'replaces' an existing file is an error and unchanged", arguments: [true, false])
    func exists(_ isUnnamed: Bool) throws {
        let path = folder.write("before".utf8, to: "a")

        #expect(throws: FileError.exists(path)) {
            try write("after", to: path, isUnnamed: isUnnamed)
        }

        #expect(contents(path) == Array("before".utf8))
        #expect(folder.names() == ["a"])
    }

    @Test("Without 'replaces' a file created meanwhile is an error and unchanged", arguments: [true, false])
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

    @Test("A writer released before finishing leaves the old file unchanged", arguments: [true, false])
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

    @Test("Symbolic links stay, and their target is written, existing or not", arguments: [true, false])
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

    @Test("A symbolic link to itself is an error")
    func circle() {
        symlink("a", folder.path("a"))

        #expect(throws: FileError.unwritable(folder.path("a"), ELOOP)) {
            try write("x", to: folder.path("a"), replaces: true)
        }
    }

    @Test("The next writer removes a killed writer's file, and nothing that is in use or not a writer's")
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

    @Test("A killed writer leaves the old file; the next one removes leftovers", arguments: [true, false])
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

    @Test("The next transfer removes a killed transfer's folder, and no folder that is in use")
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
        "A file is written completely, for its owner only, and leaves no temporary file",
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

    @Test("A folder that may be written but not read takes a file, though it can't be synchronized")
    func unreadableFolder() throws {
        mkdir(folder.path("box"), 0o300)
        defer { chmod(folder.path("box"), 0o700) }

        try AtomicFile.write([1], to: folder.path("box/state"))

        #expect(contents(folder.path("box/state")) == [1])
    }

    @Test("A new file is accessible to its owner only, whatever the umask")
    func modes() async {
        await #expect(processExitsWith: .success) {
            umask(0)
            let folder = TemporaryFolder()

            try AtomicFile.write([1], to: folder.path("state"))

            #expect(mode(folder.path("state")) == 0o600)
        }
    }

    @Test("A target that can't be replaced is unchanged, and no temporary file is left")
    func fails() throws {
        let path = folder.path("state")
        mkdir(path, 0o700)

        let error = #expect(throws: FileError.self) { try AtomicFile.write([1], to: path) }

        #expect(error?.code == .fileUnwritable)
        #expect(error?.message == "The file '\(path)' can't be written: Is a directory.")
        #expect(error?.hint == "Check the permissions of the file and its folder.")
        #expect(folder.names() == ["state"])
    }

    @Test("The error about a missing folder names the file")
    func missingFolder() {
        let error = #expect(throws: FileError.self) { try AtomicFile.write([1], to: folder.path("a/b")) }

        #expect(
            error?.message == "The file '\(folder.path("a/b"))' can't be written: No such file or directory.")
    }

    @Test("A full disk leaves the old file unchanged, and no temporary file")
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

    @Test("Concurrent writers of one file never mix their bytes")
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
