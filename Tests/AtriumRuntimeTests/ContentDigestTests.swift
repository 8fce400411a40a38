import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Content digests")
struct ContentDigestTests {
    private let folder = TemporaryFolder()

    /// The first word that `b2sum` prints.
    private func b2sum(_ path: String) throws -> String {
        let output = try #require(popen("b2sum '\(path)'", "r"))
        defer { pclose(output) }
        var line = [CChar](repeating: 0, count: 512)
        try #require(fgets(&line, 512, output) != nil)
        return String(decoding: line.prefix { $0 != 32 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    @Test("A digest equals the output of b2sum", arguments: [0, 1, 127, 128, 129, 4096, 100_003])
    func sameAsCoreutils(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let path = folder.write(bytes, to: "file")

        let digest = ContentDigest(of: bytes).description

        #expect(digest == (try b2sum(path)))
        #expect(digest.count == 128)
    }

    @Test("Contents that differ in one bit have different digests; equal ones have equal digests")
    func difference() {
        #expect(ContentDigest(of: [0]) != ContentDigest(of: [1]))
        #expect(ContentDigest(of: [0]) == ContentDigest(of: [0]))
    }
}
