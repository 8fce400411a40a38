import AtriumRuntime
import Glibc
import TestSupport
import Testing

@Suite("What names a host")
struct SharedHostTests {
    @Test("Its folder keeps it; another one has another, also with the same machine name and path")
    func identity() {
        let folder = TemporaryFolder()

        let first = SharedHost.identity(of: folder.path, on: "machine")
        #expect(SharedHost.identity(of: folder.path, on: "machine") == first)
        #expect(SharedHost.identity(of: folder.path, on: "other") != first)

        unlink(folder.path("identity"))
        #expect(SharedHost.identity(of: folder.path, on: "machine") != first)
        #expect(first.hasPrefix("machine:\(folder.path):"))
    }
}
