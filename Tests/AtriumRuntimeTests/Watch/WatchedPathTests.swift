import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Watching files below folders and links that change")
@MainActor
struct WatchedPathTests: WatchingTests {
    let folder = TemporaryFolder()
    let clock = ManualClock()

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
}
