import Glibc
import TestSupport
import Testing

@testable import AtriumRuntime

@Suite("Where a path leads")
struct ResolvedPathTests {
    private let folder = TemporaryFolder()

    init() {
        mkdir(folder.path("search"), 0o700)
        mkdir(folder.path("elsewhere"), 0o700)
        folder.write([], to: "search/libA.so")
        folder.write([], to: "elsewhere/libB.so")
    }

    private func place(_ path: String, searching names: String...) throws -> ResolvedPath {
        ResolvedPath(
            of: try RandomAccessFile(folder.path(path)),
            searchFolders: (names.isEmpty ? ["search"] : names).map(folder.path(_:)))
    }

    @Test("A library in a search folder is nothing to tell")
    func inside() throws {
        let place = try place("search/libA.so", searching: "elsewhere", "search", "missing")

        #expect(place.path == folder.path("search/libA.so"))
        #expect(place.resolved == folder.path("search/libA.so"))
        #expect(place.note == nil)
        #expect(place.folders == [folder.path("search")])
    }

    @Test("A search folder that is a link is meant as where it leads")
    func linkedFolder() throws {
        symlink("search", folder.path("link"))

        let place = try place("link/libA.so", searching: "link")

        #expect(place.resolved == folder.path("search/libA.so"))
        #expect(place.note == nil)
        #expect(place.folders == [folder.path("link"), folder.path("search")])
    }

    @Test("A link to a library outside is told")
    func linkOutside() throws {
        symlink("../elsewhere/libB.so", folder.path("search/libB.so"))

        let place = try place("search/libB.so")

        #expect(place.resolved == folder.path("elsewhere/libB.so"))
        #expect(
            place.note
                == "'\(folder.path("search/libB.so"))' is a link to '\(folder.path("elsewhere/libB.so"))', outside the search folders."
        )
        #expect(place.folders == [folder.path("search"), folder.path("elsewhere")])
    }

    @Test("Of links to links the end is told")
    func chain() throws {
        symlink(folder.path("elsewhere/libB.so"), folder.path("elsewhere/link"))
        symlink("../elsewhere/link", folder.path("search/libB.so"))

        #expect(try place("search/libB.so").resolved == folder.path("elsewhere/libB.so"))
    }

    @Test("A link inside the search folder is told, and that is all")
    func linkInside() throws {
        symlink("libA.so", folder.path("search/libC.so"))

        #expect(
            try place("search/libC.so").note
                == "'\(folder.path("search/libC.so"))' is a link to '\(folder.path("search/libA.so"))'.")
    }

    @Test("A path that leaves the search folder with dots, or over a folder that is a link, is told")
    func leaving() throws {
        symlink("../elsewhere", folder.path("search/sub"))

        for path in ["search/../elsewhere/libB.so", "search/sub/libB.so"] {
            #expect(
                try place(path).note
                    == "'\(folder.path(path))' leads to '\(folder.path("elsewhere/libB.so"))', outside the search folders."
            )
        }
    }

    @Test("A path of its own outside is told as such")
    func outside() throws {
        #expect(
            try place("elsewhere/libB.so").note
                == "'\(folder.path("elsewhere/libB.so"))' is outside the search folders.")
    }

    @Test("A folder whose name only begins like a search folder's is another one")
    func sameBeginning() throws {
        mkdir(folder.path("search2"), 0o700)
        folder.write([], to: "search2/libA.so")

        #expect(try place("search2/libA.so").note?.hasSuffix("is outside the search folders.") == true)
    }

    @Test("A search folder may be written with a slash at its end, and be the root")
    func slashes() throws {
        #expect(try place("search/libA.so", searching: "search/").note == nil)
        let file = try RandomAccessFile(folder.path("search/libA.so"))
        #expect(ResolvedPath(of: file, searchFolders: ["/"]).note == nil)
    }

    @Test("Where the file is counts when it was opened, not where a link leads by then")
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

    @Test("The folder of a path is what stands before its last slash")
    func folderOf() {
        #expect(FileSystem.folder(of: "/a/b") == "/a")
        #expect(FileSystem.folder(of: "/a") == "/")
        #expect(FileSystem.folder(of: "a") == ".")
    }
}
