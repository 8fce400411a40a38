import Glibc
import TestSupport
import Testing

@testable import AtriumRuntime

@Suite("Watching files")
@MainActor
struct FileWatcherTests {
    private let folder = TemporaryFolder()
    private let clock = ManualClock()

    // MARK: - Changes of a file

    @Test("A rewritten file is reported once, after it was quiet")
    func rewritten() throws {
        let watched = try watching("a.so")

        folder.write("new".utf8, to: "a.so")
        watched.watcher.readEvents()

        #expect(watched.reported == [])
        #expect(clock.times == [.milliseconds(150)])
        clock.fire()
        #expect(watched.reported == ["a.so"])
        #expect(clock.times == [])
    }

    @Test("A file that is replaced by a rename is reported")
    func renamed() throws {
        let watched = try watching("a.so")

        folder.write("new".utf8, to: "b.so")
        rename(folder.path("b.so"), folder.path("a.so"))

        #expect(settle(watched) == ["a.so"])
    }

    @Test("A deleted file is not reported; when it is back, it is")
    func removed() throws {
        let watched = try watching("a.so")

        unlink(folder.path("a.so"))
        #expect(settle(watched) == [])

        folder.write("new".utf8, to: "a.so")
        #expect(settle(watched) == ["a.so"])
    }

    @Test("A file that stays missing is told once, and again when it goes once more")
    func missing() throws {
        let watched = try watching("a.so")
        var told: [String] = []
        watched.watcher.onUnusable = { told.append($0) }

        unlink(folder.path("a.so"))
        #expect(settle(watched) == [])
        folder.write("x".utf8, to: "other.so")
        unlink(folder.path("other.so"))
        #expect(settle(watched) == [])
        #expect(told == [folder.path("a.so")])

        folder.write("new".utf8, to: "a.so")
        #expect(settle(watched) == ["a.so"])
        unlink(folder.path("a.so"))
        #expect(settle(watched) == [])
        #expect(told.count == 2)
    }

    @Test("A file that is missing while a build replaces it is not told")
    func replaced() throws {
        let watched = try watching("a.so")
        var told: [String] = []
        watched.watcher.onUnusable = { told.append($0) }

        unlink(folder.path("a.so"))
        watched.watcher.readEvents()
        clock.fire()
        folder.write("new".utf8, to: "a.so")

        #expect(settle(watched) == ["a.so"])
        #expect(told == [])
    }

    @Test("A file that stays incomplete is told once for each content")
    func unusable() throws {
        let watched = try watching("a.so", isComplete: { contents($0).count > 10 })
        var told: [String] = []
        watched.watcher.onUnusable = { told.append($0) }

        folder.write("short".utf8, to: "a.so")
        #expect(settle(watched) == [])
        close(open(folder.path("a.so"), O_WRONLY))
        #expect(settle(watched) == [])
        #expect(told.count == 1)

        folder.write("a second one".utf8, to: "a.so")
        #expect(settle(watched) == ["a.so"])
        #expect(told.count == 1)
    }

    @Test("A missing file is reported when it appears")
    func created() throws {
        let watched = try watching("missing.so")

        folder.write("new".utf8, to: "missing.so")

        #expect(settle(watched) == ["missing.so"])
    }

    @Test("Other files of the folder and unchanged files are not reported")
    func unchanged() throws {
        let watched = try watching("a.so")

        folder.write("new".utf8, to: "b.so")
        close(open(folder.path("a.so"), O_WRONLY))
        watched.watcher.readEvents()

        #expect(clock.times == [.milliseconds(150)])
        clock.fire()
        #expect(watched.reported == [])
    }

    @Test("Several events are reported as one change, after the last")
    func burst() throws {
        let watched = try watching("a.so")

        folder.write("one".utf8, to: "a.so")
        watched.watcher.readEvents()
        folder.write("two".utf8, to: "a.so")
        watched.watcher.readEvents()
        clock.fire(first: 1)
        #expect(watched.reported == [])

        clock.fire()
        #expect(watched.reported == ["a.so"])
    }

    @Test("A file that changes again before it is quiet is reported later")
    func stillChanging() throws {
        let watched = try watching("a.so")
        folder.write("one".utf8, to: "a.so")
        watched.watcher.readEvents()

        // Written to through a descriptor that is not closed yet.
        let descriptor = open(folder.path("a.so"), O_WRONLY | O_APPEND)
        #expect(write(descriptor, "more", 4) == 4)
        clock.fire()
        #expect(watched.reported == [])

        clock.fire()
        #expect(watched.reported == ["a.so"])
        close(descriptor)
    }

    @Test("A file that was created and not closed must stay unchanged for longer; closing it is enough")
    func createdNotClosed() throws {
        let watched = try watching("a.so")
        unlink(folder.path("a.so"))
        let descriptor = open(folder.path("a.so"), O_WRONLY | O_CREAT, 0o600)
        watched.watcher.readEvents()

        for _ in 0..<9 { clock.fire() }
        #expect(watched.reported == [])
        clock.fire()
        #expect(watched.reported == ["a.so"])

        #expect(write(descriptor, "more", 4) == 4)
        close(descriptor)
        watched.watcher.readEvents()
        clock.fire()
        #expect(watched.reported == ["a.so", "a.so"])
    }

    @Test("An incomplete file is reported when it is complete")
    func incomplete() throws {
        let watched = try watching("a.so") { contents($0).count == 4 }

        folder.write("ne".utf8, to: "a.so")
        #expect(settle(watched) == [])

        folder.write("newe".utf8, to: "a.so")
        #expect(settle(watched) == ["a.so"])
    }

    @Test("Only regular files are reported")
    func notRegular() throws {
        let watched = try watching("a.so")

        unlink(folder.path("a.so"))
        mkdir(folder.path("a.so"), 0o700)
        #expect(settle(watched) == [])

        rmdir(folder.path("a.so"))
        #expect(mkfifo(folder.path("a.so"), 0o600) == 0)
        #expect(settle(watched) == [])
    }

    @Test("A hard link that replaces a file is reported at once")
    func hardLink() throws {
        let watched = try watching("a.so")
        folder.write("new".utf8, to: "b.so")
        unlink(folder.path("a.so"))

        link(folder.path("b.so"), folder.path("a.so"))
        watched.watcher.readEvents()
        clock.fire()

        #expect(watched.reported == ["a.so"])
    }

    // MARK: - Folders

    @Test(
        "A folder that is removed and recreated is watched again, with all above it", arguments: [1, 2, 3])
    func folderAgain(_ depth: Int) throws {
        let folders = ["x", "x/y", "x/y/z"]
        for name in folders { mkdir(folder.path(name), 0o700) }
        let watched = try watching("x/y/z/a.so")

        unlink(folder.path("x/y/z/a.so"))
        for name in folders.suffix(depth).reversed() { rmdir(folder.path(name)) }
        #expect(settle(watched) == [])
        for name in folders.suffix(depth) {
            mkdir(folder.path(name), 0o700)
            watched.watcher.readEvents()
        }
        folder.write("new".utf8, to: "x/y/z/a.so")
        #expect(settle(watched) == ["x/y/z/a.so"])

        folder.write("newer".utf8, to: "x/y/z/a.so")
        #expect(settle(watched) == ["x/y/z/a.so"])
    }

    @Test("A file that appears together with its folders, before any event was read, is reported")
    func allAtOnce() throws {
        let watched = try watching("x/y/a.so")

        mkdir(folder.path("x"), 0o700)
        mkdir(folder.path("x/y"), 0o700)
        folder.write("new".utf8, to: "x/y/a.so")

        #expect(settle(watched) == ["x/y/a.so"])
    }

    @Test(
        "A renamed folder on the path takes its files with it, and another may replace it",
        arguments: ["x", "x/y"])
    func folderRenamed(_ name: String) throws {
        for name in ["x", "x/y", "other", "other/y"] { mkdir(folder.path(name), 0o700) }
        let watched = try watching("x/y/a.so")
        folder.write("new".utf8, to: "other/y/a.so")
        folder.write("new".utf8, to: "other/a.so")

        rename(folder.path(name), folder.path("away"))
        #expect(settle(watched) == [])
        folder.write("not seen".utf8, to: name == "x" ? "away/y/a.so" : "away/a.so")
        #expect(settle(watched) == [])
        rename(folder.path("other"), folder.path(name))
        #expect(settle(watched) == ["x/y/a.so"])

        folder.write("newer".utf8, to: "x/y/a.so")
        #expect(settle(watched) == ["x/y/a.so"])
    }

    @Test("A folder on the path that is replaced before its events were read is watched with all below it")
    func folderReplaced() throws {
        for name in ["x", "x/y", "other", "other/y"] { mkdir(folder.path(name), 0o700) }
        let watched = try watching("x/y/a.so")
        folder.write("new".utf8, to: "other/y/a.so")

        rename(folder.path("x"), folder.path("away"))
        rename(folder.path("other"), folder.path("x"))
        #expect(settle(watched) == ["x/y/a.so"])

        folder.write("newer".utf8, to: "x/y/a.so")
        #expect(settle(watched) == ["x/y/a.so"])
    }

    // MARK: - Links

    @Test("A link is watched, and the file to which it leads")
    func links() throws {
        mkdir(folder.path("one"), 0o700)
        mkdir(folder.path("two"), 0o700)
        folder.write("1".utf8, to: "one/a.so")
        folder.write("2".utf8, to: "two/a.so")
        symlink("one/a.so", folder.path("a.so"))
        let watched = try watching("a.so")

        folder.write("new".utf8, to: "one/a.so")
        #expect(settle(watched) == ["a.so"])

        symlink("two/a.so", folder.path("new"))
        rename(folder.path("new"), folder.path("a.so"))
        #expect(settle(watched) == ["a.so"])

        folder.write("new".utf8, to: "two/a.so")
        #expect(settle(watched) == ["a.so"])

        folder.write("newer".utf8, to: "one/a.so")
        #expect(settle(watched) == [])
    }

    @Test("A folder on the path may be a link that is changed")
    func linkedFolders() throws {
        for name in ["debug", "release"] {
            mkdir(folder.path(name), 0o700)
            folder.write(name.utf8, to: "\(name)/a.so")
        }
        symlink(folder.path("debug"), folder.path("current"))
        let watched = try watching("current/a.so")

        folder.write("new".utf8, to: "debug/a.so")
        #expect(settle(watched) == ["current/a.so"])

        unlink(folder.path("current"))
        #expect(settle(watched) == [])
        symlink("./x/../../\(folder.path.split(separator: "/").last!)/release", folder.path("current"))
        #expect(settle(watched) == [])
        mkdir(folder.path("x"), 0o700)
        #expect(settle(watched) == ["current/a.so"])

        folder.write("new".utf8, to: "release/a.so")
        #expect(settle(watched) == ["current/a.so"])
    }

    @Test("A cycle of links counts as a missing file until it is broken")
    func circle() throws {
        symlink("b.so", folder.path("a.so"))
        symlink("a.so", folder.path("b.so"))
        let watched = try watching("a.so")

        unlink(folder.path("b.so"))
        folder.write("new".utf8, to: "b.so")

        #expect(settle(watched) == ["a.so"])
    }

    // MARK: - The watcher

    @Test("When events were lost, all files are checked")
    func overflow() throws {
        folder.write("old".utf8, to: "b.so")
        mkdir(folder.path("x"), 0o700)
        let watched = try watching("a.so", "b.so", "x/c.so")
        folder.write("new".utf8, to: "b.so")
        rename(folder.path("x"), folder.path("y"))
        mkdir(folder.path("x"), 0o700)
        folder.write("new".utf8, to: "x/c.so")
        _ = watched.watcher.inotify.read()

        watched.watcher.take([.init(watch: -1, kind: UInt32(IN_Q_OVERFLOW), name: "")])
        clock.fire()

        #expect(watched.takeTold().sorted() == ["b.so", "x/c.so"])
        folder.write("newer".utf8, to: "x/c.so")
        #expect(settle(watched) == ["x/c.so"])
    }

    @Test("The set can change; files that stay in it keep their state")
    func changingSet() throws {
        folder.write("old".utf8, to: "b.so")
        let watched = try watching("a.so", "b.so")
        folder.write("new".utf8, to: "a.so")
        folder.write("new".utf8, to: "b.so")
        watched.watcher.readEvents()

        try watched.watcher.watch([folder.path("a.so"), folder.path("c.so")])
        folder.write("new".utf8, to: "c.so")

        #expect(settle(watched).sorted() == ["a.so", "c.so"])
    }

    @Test("A file that differs from the one that was read is reported")
    func knownIdentity() throws {
        folder.write("old".utf8, to: "a.so")
        folder.write("old".utf8, to: "b.so")
        let identities = ["a.so", "b.so"].map { FileSystem.identity(of: folder.path($0)) ?? "" }
        folder.write("newer".utf8, to: "a.so")
        let watched = try watching("b.so")

        let paths = [folder.path("a.so"), folder.path("b.so")]
        try watched.watcher.watch(
            Set(paths), knownAs: Dictionary(uniqueKeysWithValues: zip(paths, identities)))
        clock.fire()

        #expect(watched.reported == ["a.so"])
    }

    @Test("Nothing is reported after stop()")
    func stopping() throws {
        let watched = try watching("a.so")
        folder.write("new".utf8, to: "a.so")
        watched.watcher.readEvents()

        watched.watcher.stop()
        clock.fire()
        folder.write("newer".utf8, to: "a.so")
        watched.watcher.readEvents()

        #expect(watched.reported == [])
        #expect(clock.times == [])
    }

    @Test("Events arrive on the main actor")
    func delivery() async throws {
        folder.write("old".utf8, to: "a.so")
        let (paths, continuation) = AsyncStream<String>.makeStream()
        let watcher = try FileWatcher(schedule: { _, action in action() }) { continuation.yield($0) }
        try watcher.watch([folder.path("a.so")])

        folder.write("new".utf8, to: "b.so")
        rename(folder.path("b.so"), folder.path("a.so"))

        var reported = paths.makeAsyncIterator()
        #expect(await reported.next() == folder.path("a.so"))
        watcher.stop()
    }

    // MARK: - Support

    /// A watcher, and the names that it has reported.
    @MainActor
    private final class Watched {
        let watcher: FileWatcher
        private let log: Log
        var reported: [String] { log.names }

        init(_ watcher: FileWatcher, _ log: Log) {
            self.watcher = watcher
            self.log = log
        }

        func takeTold() -> [String] {
            defer { log.names = [] }
            return log.names
        }
    }

    @MainActor
    private final class Log {
        var names: [String] = []
    }

    /// Watches files of the folder; the first is there, where its folder is and no link has the name.
    private func watching(
        _ names: String..., isComplete: @escaping (String) -> Bool = { _ in true }
    ) throws -> Watched {
        let first = names[0]
        let parent = first.contains("/") ? String(first[..<first.lastIndex(of: "/")!]) : "."
        if first != "missing.so", FileSystem.linkTarget(folder.path(first)) == nil,
            FileSystem.exists(folder.path(parent)), !FileSystem.exists(folder.path(first))
        {
            folder.write("old".utf8, to: first)
        }
        let log = Log()
        let prefix = folder.path("")
        let watcher = try FileWatcher(isComplete: isComplete, schedule: clock.schedule) { path in
            log.names.append(String(path.dropFirst(prefix.count)))
        }
        try watcher.watch(Set(names.map(folder.path)))
        return Watched(watcher, log)
    }

    /// Reads what happened, lets all time pass, and returns what was reported since the last time.
    private func settle(_ watched: Watched) -> [String] {
        watched.watcher.readEvents()
        while !clock.times.isEmpty { clock.fire() }
        return watched.takeTold()
    }
}

/// A clock that goes on when it is reported.
@MainActor
private final class ManualClock {
    private var actions: [(time: Duration, action: @MainActor () -> Void)] = []

    var times: [Duration] { actions.map(\.time) }

    var schedule: FileWatcher.Schedule {
        { self.actions.append(($0, $1)) }
    }

    /// Runs what is due, but not what that schedules anew.
    func fire(first count: Int = .max) {
        let due = actions.prefix(count)
        actions.removeFirst(due.count)
        for (_, action) in due { action() }
    }
}
