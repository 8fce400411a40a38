import AtriumHosts
import AtriumKit
import Glibc
import TestSupport
import Testing

@Suite("What names a host")
struct SharedHostTests {
    @Test("Its folder keeps it; another one has another, also with the same machine name and path")
    func identity() throws {
        let folder = TemporaryFolder()

        let first = try identity(of: folder, on: "machine")
        #expect(try identity(of: folder, on: "machine") == first)
        #expect(try identity(of: folder, on: "other") != first)

        unlink(folder.path("identity"))
        #expect(try identity(of: folder, on: "machine") != first)
        #expect(first.hasPrefix("machine:\(folder.path):"))
    }

    @Test("What is no number in its place is replaced", arguments: ["", "null", "g", "1 2", "-1"])
    func invalid(_ text: String) throws {
        let folder = TemporaryFolder()
        folder.write(text.utf8, to: "identity")

        let first = try identity(of: folder, on: "machine")

        #expect(try identity(of: folder, on: "machine") == first)
        #expect(contents(folder.path("identity")) != Array(text.utf8))
    }

    @Test("Where it can't be stored, it is an error: the next start would be another host")
    func unwritable() throws {
        #expect(throws: FileError.self) {
            try SharedHost.identity(of: TemporaryFolder().path("missing"), on: "machine")
        }
    }

    private func identity(of folder: TemporaryFolder, on machine: String) throws -> String {
        try SharedHost.identity(of: folder.path, on: machine)
    }
}
