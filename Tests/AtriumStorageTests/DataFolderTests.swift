import AtriumKit
import AtriumStorage
import Glibc
import TestSupport
import Testing

@Suite struct DataFolderTests {
    @Test(
        "The chosen folder comes first, then XDG_STATE_HOME, then HOME",
        arguments: [
            ("/a/b", ["XDG_STATE_HOME": "/x", "HOME": "/h"], "/a/b"),
            (nil, ["XDG_STATE_HOME": "/x", "HOME": "/h"], "/x/atrium"),
            (nil, ["XDG_STATE_HOME": "", "HOME": "/h"], "/h/.local/state/atrium"),
            (nil, ["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/atrium"),
            (nil, ["HOME": "/"], "/.local/state/atrium"),
        ] as [(String?, [String: String], String)])
    func resolves(explicit: String?, variables: [String: String], path: String) throws {
        let folder = try DataFolder(explicit: explicit) { variables[$0] }

        #expect(folder.path == path)
        #expect(folder.path("notes.sqlite") == path + "/notes.sqlite")
    }

    @Test("A relative path is resolved against the current folder")
    func relative() throws {
        let current = getcwd(nil, 0)!
        defer { free(current) }

        let folder = try DataFolder(explicit: "some/where")

        #expect(folder.path == String(cString: current) + "/some/where")
    }

    @Test("What stands in place of a folder is renamed; folders and links to folders stay")
    func clears() throws {
        let temporary = TemporaryFolder()
        let folder = try DataFolder(explicit: temporary.path)
        temporary.write([], to: "file")
        symlink("nothing", temporary.path("dangling"))
        mkdir(temporary.path("folder"), 0o700)
        symlink("folder", temporary.path("link"))

        let problems = try folder.clearFolders([
            "file", "dangling", "folder", "link", "missing", "missing/below",
        ])

        #expect(temporary.names() == ["dangling.damaged", "file.damaged", "folder", "link"])
        #expect(
            problems.map(\.message) == [
                "'\(temporary.path("file"))' is not a folder and was not used.",
                "'\(temporary.path("dangling"))' is not a folder and was not used.",
            ])
        #expect(problems.first?.hint == "It was renamed to '\(temporary.path("file")).damaged'.")
    }

    @Test("What can't be looked at is not renamed")
    func notKnown() throws {
        let temporary = TemporaryFolder()
        let folder = try DataFolder(explicit: temporary.path)

        let error = #expect(throws: StorageError.self) {
            try folder.clearFolders([String(repeating: "n", count: 300)])
        }

        #expect(error?.code == .stateUnreadable)
        #expect(temporary.names() == [])
    }

    @Test("The superuser does not write into the folder of another user", .enabled(if: geteuid() == 0))
    func ofOther() throws {
        let temporary = TemporaryFolder()
        mkdir(temporary.path("data"), 0o700)
        chown(temporary.path("data"), 4242, 4242)
        let folder = try DataFolder(explicit: temporary.path("data"))

        let error = #expect(throws: StorageError.self) { try folder.prepare() }

        #expect(
            error?.message
                == "The data folder '\(folder.path)' belongs to user '4242', who could not read files written by this user."
        )
        #expect(error?.hint?.contains("sudo -u 4242") == true)
        #expect(error?.category == .usage)
        #expect(Folder.names(in: folder.path)?.filter { !$0.hasPrefix(".") } == [])
    }

    @Test("Without an option or a variable, the data folder is unknown")
    func unknown() {
        let error = #expect(throws: StorageError.self) { try DataFolder { _ in nil } }

        #expect(error?.code == .dataFolderUnknown)
        #expect(error?.message == "There is no data folder: neither XDG_STATE_HOME nor HOME is set.")
        #expect(error?.hint == "Choose a folder with --data DIR.")
    }

    @Test("A missing folder is created with its parents, for its owner only, and marked")
    func creates() async {
        await #expect(processExitsWith: .success) {
            umask(0)
            let temporary = TemporaryFolder()
            let folder = try DataFolder(explicit: temporary.path("a/b"))

            try folder.prepare()
            try folder.prepare()

            #expect(mode(temporary.path("a")) == 0o700)
            #expect(mode(folder.path) == 0o700)
            #expect(mode(folder.path("atrium-data")) == 0o600)
            #expect(try FileContents.read(folder.path("atrium-data")).isEmpty == false)
        }
    }

    @Test("An empty folder and one with the marker are restricted to their owner")
    func tightens() throws {
        let temporary = TemporaryFolder()
        mkdir(temporary.path("data"), 0o755)
        chmod(temporary.path("data"), 0o755)
        let folder = try DataFolder(explicit: temporary.path("data"))

        try folder.prepare()
        let first = mode(folder.path)
        chmod(folder.path, 0o777)
        try folder.prepare()

        #expect(first == 0o700)
        #expect(mode(folder.path) == 0o700)
    }

    @Test("A folder with other files keeps its mode and gets no marker")
    func foreign() throws {
        let temporary = TemporaryFolder()
        try AtomicFile.write([1], to: temporary.path("something"))
        chmod(temporary.path, 0o755)

        try DataFolder(explicit: temporary.path).prepare()

        #expect(mode(temporary.path) == 0o755)
        #expect(temporary.names() == ["something"])
    }

    @Test(
        "A path that can't be a folder is reported with the system's reason",
        arguments: [
            ("file", "Not a directory"), ("file/below", "Not a directory"),
            (String(repeating: "x", count: 300), "File name too long"),
            ("broken", "No such file or directory"),
        ])
    func unusable(name: String, reason: String) throws {
        let temporary = TemporaryFolder()
        try AtomicFile.write([1], to: temporary.path("file"))
        symlink("/nowhere/at/all", temporary.path("broken"))
        let folder = try DataFolder(explicit: temporary.path(name))

        let error = #expect(throws: StorageError.self) { try folder.prepare() }

        #expect(error?.code == .dataFolderUnwritable)
        #expect(error?.message == "The data folder '\(temporary.path(name))' can't be used: \(reason).")
        #expect(error?.hint == "Choose another folder with --data DIR.")
    }

    @Test("An empty path is refused, not taken as the current folder")
    func empty() throws {
        let error = #expect(throws: StorageError.self) { try DataFolder(explicit: "").prepare() }

        #expect(error?.message == "The data folder '' can't be used: No such file or directory.")
    }

    @Test("Preparing removes temporary files of killed writers from a marked folder only")
    func leftovers() throws {
        let (ours, other) = (TemporaryFolder(), TemporaryFolder())
        let name = ".atrium-new-left"
        try DataFolder(explicit: ours.path).prepare()
        for folder in [ours, other] { _ = folder.write([1], to: name) }

        try DataFolder(explicit: ours.path).prepare()
        try DataFolder(explicit: other.path).prepare()

        #expect(ours.names() == ["atrium-data"])
        #expect(other.names() == [name])
    }
}
