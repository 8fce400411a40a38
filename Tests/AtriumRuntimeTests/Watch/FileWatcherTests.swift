import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Watching files")
@MainActor
struct FileWatcherTests: WatchingTests {
    let folder = TemporaryFolder()
    let clock = ManualClock()

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
}
