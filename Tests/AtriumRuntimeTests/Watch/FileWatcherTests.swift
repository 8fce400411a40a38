import Glibc
import TestSupport
import Testing

@testable import AtriumRuntime

@Suite("Watching files")
@MainActor
struct FileWatcherTests {
    private let folder = TemporaryFolder()

    // MARK: - Changes of a file

    @Test("A rewritten file is reported once, when it is as it was at the scan before")
    func rewritten() async {
        let watched = await watching("a.so")

        folder.write("new".utf8, to: "a.so")
        await watched.watcher.scan()
        #expect(watched.take() == [])
        folder.write("newer".utf8, to: "a.so")
        await watched.watcher.scan()
        #expect(watched.take() == [])

        await watched.watcher.scan()
        #expect(watched.take() == ["a.so"])
        #expect(await settle(watched) == [])
    }

    @Test("A file that is replaced by a rename or a hard link is reported", arguments: [rename, link])
    func replaced(_ replace: @Sendable (UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt) async {
        let watched = await watching("a.so")

        folder.write("new".utf8, to: "b.so")
        unlink(folder.path("a.so"))
        #expect(replace(folder.path("b.so"), folder.path("a.so")) == 0)

        #expect(await settle(watched) == ["a.so"])
    }

    @Test("A deleted file is not reported; when it is back, it is")
    func removed() async {
        let watched = await watching("a.so")

        unlink(folder.path("a.so"))
        #expect(await settle(watched) == [])

        folder.write("new".utf8, to: "a.so")
        #expect(await settle(watched) == ["a.so"])
    }

    @Test("A missing file is reported when it appears, also with its folders")
    func created() async {
        let watched = await watching("x/y/a.so")

        mkdir(folder.path("x"), 0o700)
        mkdir(folder.path("x/y"), 0o700)
        folder.write("new".utf8, to: "x/y/a.so")

        #expect(await settle(watched) == ["x/y/a.so"])
    }

    @Test("Other files of the folder and unchanged files are not reported")
    func unchanged() async {
        let watched = await watching("a.so")

        folder.write("new".utf8, to: "b.so")
        close(open(folder.path("a.so"), O_WRONLY))

        #expect(await settle(watched) == [])
    }

    @Test("An incomplete file is reported when it is complete")
    func incomplete() async {
        let watched = await watching("a.so") { contents($0).count == 4 }

        folder.write("ne".utf8, to: "a.so")
        #expect(await settle(watched) == [])

        folder.write("newe".utf8, to: "a.so")
        #expect(await settle(watched) == ["a.so"])
    }

    @Test("A folder on the path may be replaced", arguments: ["x", "x/y"])
    func folderRenamed(_ name: String) async {
        for name in ["x", "x/y", "other", "other/y"] { mkdir(folder.path(name), 0o700) }
        let watched = await watching("x/y/a.so")
        folder.write("new".utf8, to: "other/y/a.so")
        folder.write("new".utf8, to: "other/a.so")

        rename(folder.path(name), folder.path("away"))
        #expect(await settle(watched) == [])
        rename(folder.path("other"), folder.path(name))
        #expect(await settle(watched) == ["x/y/a.so"])

        folder.write("newer".utf8, to: "x/y/a.so")
        #expect(await settle(watched) == ["x/y/a.so"])
    }

    // MARK: - Links

    @Test("A link is watched, and the file to which it leads")
    func links() async {
        mkdir(folder.path("one"), 0o700)
        mkdir(folder.path("two"), 0o700)
        folder.write("1".utf8, to: "one/a.so")
        folder.write("2".utf8, to: "two/a.so")
        symlink("one/a.so", folder.path("a.so"))
        let watched = await watching("a.so")

        folder.write("new".utf8, to: "one/a.so")
        #expect(await settle(watched) == ["a.so"])

        symlink("two/a.so", folder.path("new"))
        rename(folder.path("new"), folder.path("a.so"))
        #expect(await settle(watched) == ["a.so"])

        folder.write("new".utf8, to: "two/a.so")
        #expect(await settle(watched) == ["a.so"])

        folder.write("newer".utf8, to: "one/a.so")
        #expect(await settle(watched) == [])
    }

    @Test("A folder on the path may be a link that is changed")
    func linkedFolders() async {
        for name in ["debug", "release"] {
            mkdir(folder.path(name), 0o700)
            folder.write(name.utf8, to: "\(name)/a.so")
        }
        symlink(folder.path("debug"), folder.path("current"))
        let watched = await watching("current/a.so")

        folder.write("new".utf8, to: "debug/a.so")
        #expect(await settle(watched) == ["current/a.so"])

        unlink(folder.path("current"))
        #expect(await settle(watched) == [])
        symlink("./x/../../\(folder.path.split(separator: "/").last!)/release", folder.path("current"))
        #expect(await settle(watched) == [])
        mkdir(folder.path("x"), 0o700)
        #expect(await settle(watched) == ["current/a.so"])

        folder.write("new".utf8, to: "release/a.so")
        #expect(await settle(watched) == ["current/a.so"])
    }

    @Test("A cycle of links counts as a missing file until it is broken")
    func circle() async {
        symlink("b.so", folder.path("a.so"))
        symlink("a.so", folder.path("b.so"))
        let watched = await watching("a.so")

        unlink(folder.path("b.so"))
        folder.write("new".utf8, to: "b.so")

        #expect(await settle(watched) == ["a.so"])
    }

    // MARK: - The watcher

    @Test("The set can change; files that stay in it keep their state")
    func changingSet() async {
        folder.write("old".utf8, to: "b.so")
        let watched = await watching("a.so", "b.so")
        folder.write("new".utf8, to: "a.so")
        folder.write("new".utf8, to: "b.so")
        await watched.watcher.scan()

        watched.watcher.watch([folder.path("a.so"), folder.path("c.so")])
        folder.write("new".utf8, to: "c.so")

        #expect(await settle(watched).sorted() == ["a.so", "c.so"])
    }

    @Test("A file that differs from the one that was read is reported")
    func knownIdentity() async {
        folder.write("old".utf8, to: "a.so")
        folder.write("old".utf8, to: "b.so")
        let identities = ["a.so", "b.so"].map { FileSystem.identity(of: folder.path($0)) ?? "" }
        folder.write("newer".utf8, to: "a.so")
        let watched = await watching("b.so")

        let paths = [folder.path("a.so"), folder.path("b.so")]
        watched.watcher.watch(
            Set(paths), knownAs: Dictionary(uniqueKeysWithValues: zip(paths, identities)))

        #expect(await settle(watched) == ["a.so"])
    }

    @Test("It scans by itself, on the main actor")
    func delivery() async {
        folder.write("old".utf8, to: "a.so")
        let (paths, continuation) = AsyncStream<String>.makeStream()
        let watcher = FileWatcher(interval: .milliseconds(1)) { continuation.yield($0) }
        watcher.watch([folder.path("a.so")])

        folder.write("new".utf8, to: "b.so")
        rename(folder.path("b.so"), folder.path("a.so"))

        var reported = paths.makeAsyncIterator()
        #expect(await reported.next() == folder.path("a.so"))
    }

    // MARK: - Support

    /// A watcher and the names that it reported.
    @MainActor
    private final class Watched {
        private(set) lazy var watcher = FileWatcher(interval: nil, isComplete: isComplete) {
            [unowned self] path in
            names.append(String(path.dropFirst(prefix.count)))
        }
        private let prefix: String
        private let isComplete: (String) -> Bool
        private var names: [String] = []

        init(in folder: TemporaryFolder, _ isComplete: @escaping (String) -> Bool) {
            prefix = folder.path("")
            self.isComplete = isComplete
        }

        func take() -> [String] {
            defer { names = [] }
            return names
        }
    }

    /// Watches files of the folder; the first is there, where its folder is and no link has the name.
    private func watching(
        _ names: String..., isComplete: @escaping (String) -> Bool = { _ in true }
    ) async -> Watched {
        let first = folder.path(names[0])
        if FileSystem.linkTarget(first) == nil, FileSystem.exists(FileSystem.folder(of: first)),
            !FileSystem.exists(first)
        {
            folder.write("old".utf8, to: names[0])
        }
        let watched = Watched(in: folder, isComplete)
        watched.watcher.watch(Set(names.map(folder.path)))
        await watched.watcher.scan()
        return watched
    }

    /// Scans until nothing is pending, and returns what was reported since the last time.
    private func settle(_ watched: Watched) async -> [String] {
        await watched.watcher.scan()
        await watched.watcher.scan()
        return watched.take()
    }
}
