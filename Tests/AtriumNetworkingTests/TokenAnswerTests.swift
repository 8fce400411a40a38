import AtriumKit
import AtriumTesting
import Testing

@testable import AtriumNetworking

@Suite("The response of a token endpoint")
struct TokenAnswerTests {
    private let now = Timestamp(microseconds: 1_000_000_000)

    /// Header and claims of a token whose signature nobody checks; claim `exp` is 4102444800.
    private let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1MSIsImV4cCI6NDEwMjQ0NDgwMH0.c2ln"

    @Test("The expiry is that of the response, else that of the token")
    func expiry() {
        #expect(
            answer(token, life: 60).tokens(id: "a", refreshing: nil, now: now).expiresAt
                == now.adding(seconds: 60))
        #expect(
            answer(token, life: nil).tokens(id: "a", refreshing: nil, now: now).expiresAt
                == Timestamp(microseconds: 4_102_444_800_000_000))
        #expect(answer("opaque", life: nil).tokens(id: "a", refreshing: nil, now: now).expiresAt == nil)
    }

    @Test("A missing refresh token in the response keeps the former one")
    func refreshToken() {
        let renewed = answer("b", life: 1, refresh: nil).tokens(id: "a", refreshing: .sample(), now: now)

        #expect(renewed.refreshToken == "refresh-ada-1")
    }

    @Test(
        "Other tokens have no expiry",
        arguments: [
            "", "a.b", "a.b.c", "a.e30.c", "a.eyJleHAiOiJ4In0.c", "a.!!!.c", "..", "a.eyJleHAiOjFlOTk5fQ.c",
        ])
    func notAToken(text: String) {
        #expect(JSONWebToken.expiry(of: text) == nil)
    }

    @Test("Base64url is decoded without padding")
    func base64URL() {
        // {"exp":1000,"x":"??>>"}: encoded with both letters that differ from those of common Base64.
        #expect(JSONWebToken.expiry(of: "h.eyJleHAiOjEwMDAsIngiOiI_Pz4-In0.s")?.microseconds == 1_000_000_000)
    }

    @Test("Tokens of another type or with invalid characters are refused")
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
