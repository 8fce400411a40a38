import AtriumHosts
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

    private func identity(of folder: TemporaryFolder, on machine: String) throws -> String {
        try SharedHost.identity(of: folder.path, on: machine)
    }
}
