import Testing

@testable import AtriumLibraries

@Suite("Minisign keys and signatures")
struct MinisignSignatureTests {
    private func signature(_ text: String) throws(MinisignError) -> MinisignSignature {
        try MinisignSignature(Array(text.utf8))
    }

    private func problem(_ text: String) -> String? {
        let error = #expect(throws: MinisignError.self) { try signature(text) }
        return error?.reason
    }

    private var digest: [UInt8] {
        ContentDigest(of: Recorded.library).bytes
    }

    @Test("A key has the id that minisign prints, and the text that it was parsed from")
    func key() throws {
        let key = try MinisignKey(Recorded.key)

        #expect(key.id == Recorded.keyID)
        #expect(key.description == Recorded.key)
        #expect(try MinisignKey(Recorded.otherKey).id == Recorded.otherKeyID)
    }

    @Test(
        "An invalid public key is refused with the reason",
        arguments: [
            ("", "a public key has 56 characters, not 0"),
            (String(Recorded.key.dropLast()), "a public key has 56 characters, not 55"),
            (Recorded.key + "AAAA", "a public key has 56 characters, not 60"),
            (Recorded.key + "\n", "a public key has 56 characters, not 57"),
            (" " + Recorded.key.dropLast(), "a public key in base64 was expected"),
            (Recorded.key.dropLast() + "=", "a public key in base64 was expected"),
            (Recorded.key.replacing("+", with: "-"), "a public key in base64 was expected"),
            ("RU" + Recorded.key.dropFirst(2), "it is for another algorithm than Ed25519"),
        ])
    func wrongKey(text: String, reason: String) {
        let error = #expect(throws: MinisignError.self) { try MinisignKey(text) }

        #expect(error?.reason == reason)
    }

    @Test("A key id with leading zeros has all its digits")
    func keyID() {
        #expect(MinisignKey.number([0xEF, 0xCD, 0, 0, 0, 0, 0, 0]) == "000000000000CDEF")
        #expect(MinisignKey.number([0, 0, 0, 0, 0, 0, 0, 0x80]) == "8000000000000000")
    }

    @Test("A prehashed signature is valid for the digest only")
    func prehashed() throws {
        let signature = try signature(Recorded.prehashed)
        let key = try MinisignKey(Recorded.key)

        #expect(signature.isOfDigest)
        #expect(signature.keyID == Recorded.keyID)
        #expect(signature.trustedComment == "Session 1.0.0")
        #expect(signature.isValid(for: digest, by: key))
        #expect(signature.isCommentValid(by: key))
        #expect(!signature.isValid(for: Recorded.library, by: key))
        #expect(!signature.isValid(for: digest, by: try MinisignKey(Recorded.otherKey)))
        #expect(!signature.isCommentValid(by: try MinisignKey(Recorded.otherKey)))
    }

    @Test("A legacy signature is valid for the file's bytes only")
    func legacy() throws {
        let signature = try signature(Recorded.legacy)
        let key = try MinisignKey(Recorded.key)

        #expect(!signature.isOfDigest)
        #expect(signature.trustedComment == "Session 1.0.0, legacy")
        #expect(signature.isValid(for: Recorded.library, by: key))
        #expect(signature.isCommentValid(by: key))
        #expect(!signature.isValid(for: digest, by: key))
        #expect(!signature.isValid(for: Recorded.library + [0], by: key))
        #expect(!signature.isValid(for: [], by: key))
    }

    @Test(
        "CRLF line ends, a missing last line end and trailing empty lines are accepted",
        arguments: [
            Recorded.prehashed.replacing("\n", with: "\r\n"), String(Recorded.prehashed.dropLast()),
            Recorded.prehashed + "\n\r\n",
        ])
    func lineEnds(text: String) throws {
        #expect(try signature(text) == signature(Recorded.prehashed))
    }

    @Test(
        "A signature must have four lines",
        arguments: [
            ("", "0 lines"), ("untrusted comment: \n", "1 line"), (Recorded.prehashed + "x", "5 lines"),
            ("\n" + Recorded.prehashed, "5 lines"), (Recorded.prehashed + Recorded.legacy, "8 lines"),
            (Recorded.prehashed.replacing("\n", with: "\r"), "1 line"),
            (Recorded.prehashed.replacing("\n", with: "\n\n"), "7 lines"),
        ])
    func otherLines(text: String, count: String) {
        #expect(problem(text) == "a signature has 4 lines, this has \(count)")
    }

    @Test(
        "An invalid line is named with the reason",
        arguments: [
            (1, "comment: x", "line 1 does not begin with 'untrusted comment: '"),
            (1, "Untrusted comment: x", "line 1 does not begin with 'untrusted comment: '"),
            (1, "trusted comment: x", "line 1 does not begin with 'untrusted comment: '"),
            (2, "", "line 2, the signature, has 100 characters, not 0"),
            (2, "RUT5", "line 2, the signature, has 100 characters, not 4"),
            (2, Recorded.key, "line 2, the signature, has 100 characters, not 56"),
            (2, String(repeating: "A", count: 101), "line 2, the signature, has 100 characters, not 101"),
            (2, String(repeating: "A", count: 100), "line 2, the signature, in base64 was expected"),
            (2, String(repeating: "A", count: 98) + "==", "line 2, the signature, in base64 was expected"),
            (2, String(repeating: "!", count: 100), "line 2, the signature, in base64 was expected"),
            (2, String(repeating: "é", count: 50), "line 2, the signature, in base64 was expected"),
            (2, String(repeating: "\0", count: 100), "line 2, the signature, in base64 was expected"),
            (
                2, String(repeating: "A", count: 99) + "=",
                "line 2 is a signature of another algorithm than Ed25519"
            ),
            (3, "comment: x", "line 3 does not begin with 'trusted comment: '"),
            (3, "untrusted comment: x", "line 3 does not begin with 'trusted comment: '"),
            (4, "AA==", "line 4, the signature of the comment, has 88 characters, not 4"),
            (
                4, String(repeating: "A", count: 88),
                "line 4, the signature of the comment, in base64 was expected"
            ),
        ])
    func otherLine(number: Int, line: String, reason: String) {
        #expect(problem(Recorded.replacing(line: number, of: Recorded.prehashed, with: line)) == reason)
    }

    @Test("A truncated signature is invalid at any length", arguments: [Recorded.prehashed, Recorded.legacy])
    func cutOff(text: String) {
        // Only the last line end may be missing.
        for count in 0..<text.utf8.count - 1 {
            #expect(throws: MinisignError.self, "\(count)") {
                try MinisignSignature(Array(text.utf8.prefix(count)))
            }
        }
    }

    @Test("Binary data is not a signature")
    func noText() {
        for byte in [0, 0x80, 0xC3, 0xFF] as [UInt8] {
            #expect(throws: MinisignError.self) {
                try MinisignSignature([UInt8](repeating: byte, count: 300))
            }
        }
    }
}
