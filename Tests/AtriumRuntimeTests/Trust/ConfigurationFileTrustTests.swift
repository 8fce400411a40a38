import AtriumKit
import AtriumManifest
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("The trust settings of modules.json")
struct ConfigurationFileTrustTests {
    private let folder = TemporaryFolder()

    private func configuration() throws -> ConfigurationFile {
        let json = #"{"modules": [], "trust": {"policy": "locked", "keys": ["\#(Recorded.key)"]}}"#
        return try ConfigurationFile.find(folder.write(json.utf8, to: "modules.json"))
    }

    @Test("The lock file beside modules.json is read")
    func lock() throws {
        let lock = LockFile(modules: [
            "Session": LockFile.Entry(
                version: SemanticVersion(1, 0, 0), digest: String(repeating: "a", count: 128))
        ])
        let configuration = try configuration()
        try lock.write(to: configuration.lockPath)

        let policy = try configuration.trustPolicy()

        #expect(configuration.lockPath == folder.path("modules.lock"))
        #expect(policy.policy == .locked)
        #expect(policy.lock == lock)
    }

    @Test("A missing lock file is no error; a damaged one is")
    func noLock() throws {
        #expect(try configuration().trustPolicy().lock == nil)

        folder.write("{".utf8, to: "modules.lock")

        #expect(throws: ConfigurationError.self) { try configuration().trustPolicy() }
    }

    @Test("A lock file that other users can write is refused")
    func writable() throws {
        let path = try configuration().lockPath
        try LockFile().write(to: path)
        #expect(chmod(path, 0o666) == 0)

        let error = #expect(throws: ConfigurationError.self) { try configuration().trustPolicy() }

        #expect(error?.code == "writableByOthers")
        #expect(error?.message == "The lock file '\(path)' can be changed by every user.")
        #expect(error?.hint == "chmod go-w '\(path)'")
        #expect(chmod(path, 0o644) == 0)
        #expect(try configuration().trustPolicy().policy == .locked)
    }
}
