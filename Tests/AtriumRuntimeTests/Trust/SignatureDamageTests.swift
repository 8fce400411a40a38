import AtriumManifest
import Foundation
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

/// Changes each byte of a signature in turn and checks that the library is refused.
@Suite("Damaged signatures")
struct SignatureDamageTests {
    /// The prehashed and the legacy form.
    static let forms = [Recorded.prehashed, Recorded.legacy]

    private func refusal(_ signature: String) -> ModuleError? {
        SignedLibrary(signature: signature).refusal(.signed, keys: [Recorded.key])
    }

    /// Changes one byte of a Base64 line by `mask`.
    private func damaged(_ signature: String, line: Int, byte: Int, mask: UInt8) throws -> String {
        var bytes = try #require(Data(base64Encoded: Recorded.line(line, of: signature)))
        bytes[byte] ^= mask
        return Recorded.replacing(line: line, of: signature, with: bytes.base64EncodedString())
    }

    @Test("An undamaged signature is accepted", arguments: forms)
    func control(signature: String) throws {
        #expect(refusal(try damaged(signature, line: 2, byte: 20, mask: 0)) == nil)
        #expect(refusal(try damaged(signature, line: 4, byte: 20, mask: 0)) == nil)
    }

    @Test("A changed byte of the algorithm is refused", arguments: forms, 0..<2)
    func algorithm(signature: String, byte: Int) throws {
        for bit in 0..<8 {
            let error = refusal(try damaged(signature, line: 2, byte: byte, mask: 1 << bit))

            #expect(error?.code == .untrusted)
            let isOtherForm = byte == 1 && bit == 5
            let reason =
                isOtherForm ? "is not the signature of this library" : "another algorithm than Ed25519"
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        }
    }

    @Test("A changed byte of the key id is refused as another key", arguments: forms, 2..<10)
    func keyID(signature: String, byte: Int) throws {
        let error = refusal(try damaged(signature, line: 2, byte: byte, mask: 0x01))

        #expect(error?.code == .untrusted)
        #expect(error?.message.contains("its signature is by key ") == true, "\(error?.message ?? "")")
        #expect(error?.message.hasSuffix("modules.json trusts \(Recorded.keyID).") == true)
    }

    @Test("A changed byte of the signature is refused", arguments: forms, 10..<74)
    func signature(signature: String, byte: Int) throws {
        for mask in [0x01, 0x80] as [UInt8] {
            let error = refusal(try damaged(signature, line: 2, byte: byte, mask: mask))

            #expect(error?.code == .untrusted)
            #expect(error?.message.contains("is not the signature of this library") == true)
        }
    }

    @Test("A changed byte of the comment's signature is refused", arguments: forms, 0..<64)
    func commentSignature(signature: String, byte: Int) throws {
        for mask in [0x01, 0x80] as [UInt8] {
            let error = refusal(try damaged(signature, line: 4, byte: byte, mask: mask))

            #expect(error?.code == .untrusted)
            #expect(error?.message.contains("was changed after it was signed") == true)
        }
    }

    @Test(
        "A changed trusted comment is refused",
        arguments: [
            "Session 1.0.1", "session 1.0.0", "Session 1.0.0 ", " Session 1.0.0", "Session 1.0.0\t",
            "Session",
            "", "Session 1.0.0\0",
        ])
    func comment(comment: String) {
        let changed = Recorded.replacing(
            line: 3, of: Recorded.prehashed, with: "trusted comment: \(comment)")
        let library = SignedLibrary(signature: changed)

        let error = library.refusal(.signed, keys: [Recorded.key])

        #expect(error?.code == .untrusted)
        #expect(
            error?.message == "Module 'Session' is not trusted: "
                + "the trusted comment in '\(library.path).minisig' was changed after it was signed.")
    }

    @Test("The comment of one signature is not accepted in another one by the same key")
    func mixed() {
        var mixed = Recorded.prehashed
        for line in 3...4 {
            mixed = Recorded.replacing(line: line, of: mixed, with: Recorded.line(line, of: Recorded.legacy))
        }

        #expect(refusal(mixed)?.message.contains("was changed after it was signed") == true)
    }

    @Test("Another key with the id of the trusted key is not trusted")
    func sameNumber() throws {
        // The id is not protected: anyone can give a key any id.
        let trusted = try #require(Data(base64Encoded: Recorded.line(2, of: Recorded.prehashed)))
        let other = try #require(Data(base64Encoded: Recorded.line(2, of: Recorded.byOtherKey)))
        let line = (trusted.prefix(10) + other.dropFirst(10)).base64EncodedString()

        let error = refusal(Recorded.replacing(line: 2, of: Recorded.byOtherKey, with: line))

        #expect(error?.message.contains("is not the signature of this library") == true)
    }

    @Test("The untrusted comment may be anything")
    func untrustedComment() {
        let changed = Recorded.replacing(line: 1, of: Recorded.prehashed, with: "untrusted comment: x")

        #expect(refusal(changed) == nil)
    }
}
