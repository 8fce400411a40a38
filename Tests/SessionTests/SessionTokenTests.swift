import AtriumKit
import Testing

@testable import Session

@Suite("Session token")
struct SessionTokenTests {
    @Test("A token is 32 bytes in base64url")
    func form() {
        let text = SessionToken.random().text

        #expect(text.utf8.count == 43)
        #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
    }

    @Test("1,000 random tokens are different")
    func uniqueness() {
        let tokens = Set((0..<1_000).map { _ in SessionToken.random().text })

        #expect(tokens.count == 1_000)
    }

    @Test("The digest is BLAKE2b of the text, as 'b2sum -l 256' prints it")
    func digest() {
        let digest = SessionToken(text: "abc").digest
        let text = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()

        #expect(text == "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319")
    }
}
