import Glibc
import TestSupport
import Testing

@testable import AtriumRuntime

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
        let watcher = try SourceWatcher(folder.path) { changes.count += 1 }

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
}
