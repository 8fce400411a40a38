import AtriumKit
import Testing

@testable import Session

@Suite("Password hasher")
struct PasswordHasherTests {
    private let hasher = PasswordHasher.minimal

    @Test("A hash does not contain the password")
    func hashIsNotPassword() async throws {
        let hash = try await hasher.hash("correct horse")

        #expect(hash.hasPrefix("$argon2id$"))
        #expect(!hash.contains("correct") && !hash.contains("horse"))
    }

    @Test("Each hash has its own salt")
    func salt() async throws {
        let first = try await hasher.hash("correct horse")
        let second = try await hasher.hash("correct horse")

        #expect(first != second)
    }

    @Test(
        "Only the password itself is accepted",
        arguments: ["correct horse", "", "密码密码密码密码", "a\u{0}b", String(repeating: "x", count: 1_024)])
    func verification(_ password: String) async throws {
        let hash = try await hasher.hash(password)

        #expect(await hasher.verify(password, against: hash))
        #expect(await !hasher.verify(password + " ", against: hash))
        #expect(await !hasher.verify("a\u{0}c", against: hash))
    }

    @Test("An invalid hash accepts no password", arguments: ["", "correct horse", "$argon2id$v=19$m=8"])
    func notAHash(_ hash: String) async {
        #expect(await !hasher.verify("correct horse", against: hash))
    }

    @Test("The hash for unknown emails costs as much as a real one")
    func decoyCost() {
        #expect(!PasswordHasher.interactive.isOutdated(PasswordHasher.interactive.decoy))
        #expect(!PasswordHasher.minimal.isOutdated(PasswordHasher.minimal.decoy))
        #expect(PasswordHasher.interactive.isOutdated(PasswordHasher.minimal.decoy))
    }

    @Test("The interactive hasher uses two passes over 64 MiB")
    func interactiveCost() async throws {
        let hash = try await PasswordHasher.interactive.hash("correct horse")

        #expect(hash.hasPrefix("$argon2id$v=19$m=65536,t=2,p=1$"))
        #expect(await PasswordHasher.interactive.verify("correct horse", against: hash))
    }
}
