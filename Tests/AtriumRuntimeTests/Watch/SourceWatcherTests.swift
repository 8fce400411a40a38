import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Watched sources")
@MainActor
struct SourceWatcherTests {
    private let folder = TemporaryFolder()

    /// Counts changes.
    private final class Changes {
        var count = 0
    }

    @Test("Changed, new and deleted files are reported, also in new folders; what a build makes is not")
    func changes() async throws {
        mkdir(folder.path("Sources"), 0o700)
        mkdir(folder.path(".build"), 0o700)
        folder.write("1".utf8, to: "Sources/A.swift")
        let changes = Changes()
        let watcher = try SourceWatcher(folder.path) { _ in changes.count += 1 }

        folder.write("2".utf8, to: ".build/a")
        folder.write("2".utf8, to: "Package.resolved")
        folder.write("2".utf8, to: "Sources/A.swift~")
        folder.write("2".utf8, to: "Sources/A.swift")
        await eventually("the changed file") { changes.count == 1 }
        mkdir(folder.path("Sources/View"), 0o700)
        folder.write("1".utf8, to: "Sources/View/B.swift")
        await eventually("the new folder and file") { changes.count == 2 }
        folder.write("2".utf8, to: "Sources/View/B.swift")
        await eventually("the file in the new folder") { changes.count == 3 }
        unlink(folder.path("Sources/View/B.swift"))
        await eventually("the deletion") { changes.count == 4 }
        withExtendedLifetime(watcher) {}
    }

    @Test("A file that is modified again in the second of its last change is told, any other is not")
    func withinSecond() async throws {
        var told: [Bool] = []
        for name in ["A", "B"] { write(name, second: 100) }
        let watcher = try SourceWatcher(folder.path) { told.append($0.isWithinSecond) }

        write("A", second: 101)
        await eventually("a later second") { told == [false] }
        write("A", second: 101)
        await eventually("the same second") { told == [false, true] }
        write("B", second: 101)
        await eventually("another file") { told == [false, true, false] }
        write("C", second: 101)
        await eventually("a new file") { told == [false, true, false, false] }
        withExtendedLifetime(watcher) {}
    }

    /// Replaces a file by one of a time.
    private func write(_ name: String, second: Int) {
        let path = folder.write("text".utf8, to: ".\(name)")
        let time = timespec(tv_sec: second, tv_nsec: Int.random(in: 0..<1_000_000_000))
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        #expect(rename(path, folder.path(name)) == 0)
    }
}
