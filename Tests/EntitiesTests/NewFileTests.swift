import Glibc
import TestSupport
import Testing

@testable import Entities

@Suite("A file that is there only once it is whole")
struct NewFileTests {
    private let folder = TemporaryFolder()

    private func write(_ text: String, to path: String, replaces: Bool = false, isUnnamed: Bool = true) throws
    {
        let file = try NewFile(path, replaces: replaces, isUnnamed: isUnnamed)
        try file.write(Array(text.utf8))
        try file.finish()
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        stat(path, &status)
        return status.st_mode & 0o7777
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

        #expect(throws: EntityFileError.exists(path)) {
            try write("after", to: path, isUnnamed: isUnnamed)
        }

        #expect(contents(path) == Array("before".utf8))
        #expect(folder.names() == ["a"])
    }

    @Test("What came to be there meanwhile stays, too", arguments: [true, false])
    func cameMeanwhile(_ isUnnamed: Bool) throws {
        let path = folder.path("a")
        let file = try NewFile(path, replaces: false, isUnnamed: isUnnamed)
        try file.write(Array("after".utf8))
        _ = folder.write("meanwhile".utf8, to: "a")

        var error: EntityFileError?
        do { try file.finish() } catch let thrown { error = thrown }

        #expect(error == .exists(path))
        #expect(error?.hint == "Give --replace to replace it, or name another file.")
        #expect(contents(path) == Array("meanwhile".utf8))
        #expect(folder.names() == ["a"])
    }

    @Test("A writer that goes without finishing leaves what was there", arguments: [true, false])
    func abandoned(_ isUnnamed: Bool) throws {
        let path = folder.write("before".utf8, to: "a")
        do {
            let file = try NewFile(path, replaces: true, isUnnamed: isUnnamed)
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
        #expect(throws: EntityFileError.exists(folder.path("first"))) {
            try write("again", to: folder.path("first"))
        }
    }

    @Test("A link that leads to itself is refused")
    func circle() {
        symlink("a", folder.path("a"))

        #expect(throws: EntityFileError.unwritable(folder.path("a"), ELOOP)) {
            try write("x", to: folder.path("a"), replaces: true)
        }
    }

    @Test("What a killed writer left goes with the next one; what is in use, or of others, stays")
    func leftovers() throws {
        close(makeLeftover(".atrium-export-left"))
        let used = makeLeftover(".atrium-export-used", isLocked: true)
        defer { close(used) }
        _ = folder.write("x".utf8, to: "atrium-export-a")
        symlink(folder.path("atrium-export-a"), folder.path(".atrium-export-link"))
        mkdir(folder.path(".atrium-export-folder"), 0o700)
        defer { rmdir(folder.path(".atrium-export-folder")) }

        try write("a", to: folder.path("a"))

        #expect(
            folder.names() == [
                ".atrium-export-folder", ".atrium-export-link", ".atrium-export-used", "a", "atrium-export-a",
            ])
    }

    @Test("A process that is killed leaves nothing, or what the next one removes", arguments: [true, false])
    func killed(_ isUnnamed: Bool) async throws {
        let path = folder.write("before".utf8, to: "a")

        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, isUnnamed = isUnnamed as Bool] in
            let file = try NewFile(path, replaces: true, isUnnamed: isUnnamed)
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
        mkdir(folder.path("atrium-entities-left"), 0o700)
        _ = folder.write("x".utf8, to: "atrium-entities-left/export.jsonl")
        do {
            let first = try Entities.TemporaryFolder(in: folder.path)
            let second = try Entities.TemporaryFolder(in: folder.path)

            #expect(folder.names().count == 2)
            #expect(first.path("a") != second.path("a"))
        }

        #expect(folder.names() == [])
    }
}
