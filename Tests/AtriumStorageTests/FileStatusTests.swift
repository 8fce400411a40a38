import AtriumStorage
import Glibc
import TestSupport
import Testing

@Suite struct FileStatusTests {
    private let folder = TemporaryFolder()

    @Test("A path is what its link leads to, or the link itself")
    func kinds() {
        folder.write("text".utf8, to: "file")
        mkdir(folder.path("folder"), 0o700)
        mkfifo(folder.path("pipe"), 0o600)
        symlink("folder", folder.path("link"))
        symlink("nothing", folder.path("dangling"))
        let expected: [(name: String, FileStatus.Kind?, itself: FileStatus.Kind?)] = [
            ("file", .file, .file), ("folder", .folder, .folder), ("pipe", .pipe, .pipe),
            ("link", .folder, .link), ("dangling", nil, .link), ("nothing", nil, nil),
        ]

        for (name, kind, itself) in expected {
            #expect(FileStatus(of: folder.path(name))?.kind == kind, "\(name)")
            #expect(FileStatus(of: folder.path(name), followsLinks: false)?.kind == itself, "\(name)")
        }
        #expect(FileStatus(of: "/dev/null")?.kind == .other)
    }

    @Test("A file has its size and the number of its names")
    func facts() {
        let path = folder.write("text".utf8, to: "file")
        link(path, folder.path("other"))

        let status = FileStatus(of: path)

        #expect(status?.size == 4)
        #expect(status?.linkCount == 2)
    }
}
