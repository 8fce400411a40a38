import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Resolved paths")
struct ResolvedPathTests {
    private let folder = TemporaryFolder()

    init() {
        mkdir(folder.path("search"), 0o700)
        mkdir(folder.path("elsewhere"), 0o700)
        folder.write([], to: "search/libA.so")
        folder.write([], to: "elsewhere/libB.so")
    }

    private func route(_ path: String, searching names: String...) throws -> ResolvedPath {
        ResolvedPath(
            of: try RandomAccessFile(folder.path(path)),
            searchFolders: (names.isEmpty ? ["search"] : names).map(folder.path(_:)))
    }

    @Test("A library in a search folder has no note")
    func inside() throws {
        let route = try route("search/libA.so", searching: "elsewhere", "search", "missing")

        #expect(route.path == folder.path("search/libA.so"))
        #expect(route.resolved == folder.path("search/libA.so"))
        #expect(route.note == nil)
        #expect(route.folders == [folder.path("search")])
    }

    @Test("A search folder may be a symbolic link")
    func linkedFolder() throws {
        symlink("search", folder.path("link"))

        let route = try route("link/libA.so", searching: "link")

        #expect(route.resolved == folder.path("search/libA.so"))
        #expect(route.note == nil)
        #expect(route.folders == [folder.path("link"), folder.path("search")])
    }

    @Test("A link to a library outside the search folders is reported")
    func linkOutside() throws {
        symlink("../elsewhere/libB.so", folder.path("search/libB.so"))

        let route = try route("search/libB.so")

        #expect(route.resolved == folder.path("elsewhere/libB.so"))
        #expect(
            route.note
                == "'\(folder.path("search/libB.so"))' is a link to '\(folder.path("elsewhere/libB.so"))', outside the search folders."
        )
        #expect(route.folders == [folder.path("search"), folder.path("elsewhere")])
    }

    @Test("A chain of links is resolved to its end")
    func chain() throws {
        symlink(folder.path("elsewhere/libB.so"), folder.path("elsewhere/link"))
        symlink("../elsewhere/link", folder.path("search/libB.so"))

        #expect(try route("search/libB.so").resolved == folder.path("elsewhere/libB.so"))
    }

    @Test("A link inside the search folder is reported only as a link")
    func linkInside() throws {
        symlink("libA.so", folder.path("search/libC.so"))

        #expect(
            try route("search/libC.so").note
                == "'\(folder.path("search/libC.so"))' is a link to '\(folder.path("search/libA.so"))'.")
    }

    @Test("A path that leaves the search folder by '..' or a linked folder is reported")
    func leaving() throws {
        symlink("../elsewhere", folder.path("search/sub"))

        for path in ["search/../elsewhere/libB.so", "search/sub/libB.so"] {
            #expect(
                try route(path).note
                    == "'\(folder.path(path))' leads to '\(folder.path("elsewhere/libB.so"))', outside the search folders."
            )
        }
    }

    @Test("A path outside the search folders is reported")
    func outside() throws {
        #expect(
            try route("elsewhere/libB.so").note
                == "'\(folder.path("elsewhere/libB.so"))' is outside the search folders.")
    }

    @Test("A folder whose name starts with that of a search folder is outside")
    func sameBeginning() throws {
        mkdir(folder.path("search2"), 0o700)
        folder.write([], to: "search2/libA.so")

        #expect(try route("search2/libA.so").note?.hasSuffix("is outside the search folders.") == true)
    }

    @Test("A search folder may end with a slash, or be the root")
    func slashes() throws {
        #expect(try route("search/libA.so", searching: "search/").note == nil)
        let file = try RandomAccessFile(folder.path("search/libA.so"))
        #expect(ResolvedPath(of: file, searchFolders: ["/"]).note == nil)
    }

    @Test("The path is that of the opened file, even if the link changed since")
    func opened() throws {
        let link = folder.path("search/libB.so")
        symlink("../elsewhere/libB.so", link)
        let file = try RandomAccessFile(link)
        unlink(link)
        symlink("libA.so", link)

        #expect(
            ResolvedPath(of: file, searchFolders: [folder.path("search")]).resolved
                == folder.path("elsewhere/libB.so"))
    }

    @Test("The folder of a path")
    func folderOf() {
        #expect(FileSystem.folder(of: "/a/b") == "/a")
        #expect(FileSystem.folder(of: "/a") == "/")
        #expect(FileSystem.folder(of: "a") == ".")
    }
}
