import AtriumKit
import AtriumTesting
import Foundation
import Testing

@testable import AtriumNetworking

@Suite("Reading the response of the token endpoint")
struct TokenAnswerTests {
    private let now = Timestamp(microseconds: 1_000_000_000)

    /// Header and claims of a token whose signature is not checked; claim `exp` is 4102444800.
    private let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1MSIsImV4cCI6NDEwMjQ0NDgwMH0.c2ln"

    @Test("The expiry is that of the response, otherwise that of the token")
    func expiry() {
        #expect(
            answer(token, life: 60).tokens(id: "a", refreshing: nil, now: now).expiresAt
                == now.adding(seconds: 60))
        #expect(
            answer(token, life: nil).tokens(id: "a", refreshing: nil, now: now).expiresAt
                == Timestamp(microseconds: 4_102_444_800_000_000))
        #expect(answer("opaque", life: nil).tokens(id: "a", refreshing: nil, now: now).expiresAt == nil)
    }

    @Test("Seconds may be a text", arguments: [("3600", 3_600), ("\"3600\"", 3_600), ("\"1.5\"", 1.5)])
    func seconds(json: String, number: Double) throws {
        let body = #"{"access_token": "a", "expires_in": \#(json)}"#

        let answer = try JSONDecoder().decode(TokenAnswer.self, from: Data(body.utf8))

        #expect(answer.expiresIn == number)
    }

    @Test("If the response has no refresh token, the former one stays")
    func refreshToken() {
        let renewed = answer("b", life: 1, refresh: nil).tokens(id: "a", refreshing: .sample(), now: now)

        #expect(renewed.refreshToken == "refresh-ada-1")
    }

    @Test(
        "Tokens without a readable `exp` claim have no expiry",
        arguments: [
            "", "a.b", "a.b.c", "a.e30.c", "a.eyJleHAiOiJ4In0.c", "a.!!!.c", "..", "a.eyJleHAiOjFlOTk5fQ.c",
        ])
    func notAToken(text: String) {
        #expect(JSONWebToken.expiry(of: text) == nil)
    }

    @Test("Base64url is decoded without padding")
    func base64URL() {
        // {"exp":1000,"x":"??>>"}: contains both letters in which Base64url differs from Base64.
        #expect(JSONWebToken.expiry(of: "h.eyJleHAiOjEwMDAsIngiOiI_Pz4-In0.s")?.microseconds == 1_000_000_000)
    }

    @Test("Tokens of another type or with invalid characters are unusable")
    func unusable() {
        #expect(answer("good.token-1~", life: 1).isUsable(scheme: "Bearer"))
        #expect(!answer("two words", life: 1).isUsable(scheme: "Bearer"))
        #expect(!answer("line\r\nbreak", life: 1).isUsable(scheme: "Bearer"))
        #expect(!answer("", life: 1).isUsable(scheme: "Bearer"))
        #expect(!answer("a", life: 1, type: "mac").isUsable(scheme: "Bearer"))
        #expect(answer("a", life: 1, type: nil).isUsable(scheme: "Bearer"))
    }

    private func answer(
        _ token: String, life: Double?, refresh: String? = "r", type: String? = "bearer"
    ) -> TokenAnswer {
        TokenAnswer(
            accessToken: token, tokenType: type, expiresIn: life, refreshToken: refresh, refreshExpiresIn: nil
        )
    }
}
