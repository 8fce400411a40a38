import AtriumKit
import AtriumTesting
import Testing

@testable import AtriumNetworking

@Suite("What a token endpoint answers")
struct TokenAnswerTests {
    private let now = Timestamp(microseconds: 1_000_000_000)

    /// Header and claims of a token whose signature nobody checks; claim `exp` is 4102444800.
    private let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1MSIsImV4cCI6NDEwMjQ0NDgwMH0.c2ln"

    @Test("The expiry is that of the answer, else that of the token, else not known")
    func expiry() {
        #expect(
            answer(token, life: 60).tokens(id: "a", renewing: nil, now: now).expiresAt
                == now.adding(seconds: 60))
        #expect(
            answer(token, life: nil).tokens(id: "a", renewing: nil, now: now).expiresAt
                == Timestamp(microseconds: 4_102_444_800_000_000))
        #expect(answer("opaque", life: nil).tokens(id: "a", renewing: nil, now: now).expiresAt == nil)
    }

    @Test("A refresh token that the answer leaves out stays")
    func refreshToken() {
        let renewed = answer("b", life: 1, refresh: nil).tokens(id: "a", renewing: .sample(), now: now)

        #expect(renewed.refreshToken == "refresh-ada-1")
    }

    @Test(
        "What is no JSON Web Token has no expiry",
        arguments: [
            "", "a.b", "a.b.c", "a.e30.c", "a.eyJleHAiOiJ4In0.c", "a.!!!.c", "..", "a.eyJleHAiOjFlOTk5fQ.c",
        ])
    func notAToken(text: String) {
        #expect(JSONWebToken.expiry(of: text) == nil)
    }

    @Test("Base64 for URLs is read with its own letters and without padding")
    func base64URL() {
        // {"exp":1000,"x":"??>>"}: encoded with both letters that differ from those of common Base64.
        #expect(JSONWebToken.expiry(of: "h.eyJleHAiOjEwMDAsIngiOiI_Pz4-In0.s")?.microseconds == 1_000_000_000)
    }

    @Test("Tokens that can't stand in a header field, or are of another type, are refused")
    func unusable() {
        #expect(answer("good.token-1~", life: 1).isUsable)
        #expect(!answer("two words", life: 1).isUsable)
        #expect(!answer("line\r\nbreak", life: 1).isUsable)
        #expect(!answer("", life: 1).isUsable)
        #expect(!answer("a", life: 1, type: "mac").isUsable)
        #expect(answer("a", life: 1, type: nil).isUsable)
    }

    private func answer(
        _ token: String, life: Double?, refresh: String? = "r", type: String? = "bearer"
    ) -> TokenAnswer {
        TokenAnswer(
            accessToken: token, tokenType: type, expiresIn: life, refreshToken: refresh, refreshExpiresIn: nil
        )
    }
}
