@_spi(Host) import AtriumKit
import TestSupport
import Testing

@Suite("Session credentials")
struct SessionCredentialTests {
    private let credential = SessionCredential(token: "hunter2", expiresAt: Timestamp(microseconds: 0))

    private struct Holder {
        let name = "holder"
        let credential: SessionCredential
    }

    private func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test("Descriptions say that the token is hidden")
    func descriptions() {
        let text = "SessionCredential(token: hidden, expiresAt: 1970-01-01T00:00:00Z)"

        #expect(credential.description == text)
        #expect(String(reflecting: credential) == text)
        #expect("\(credential)" == text)
    }

    @Test("Neither dump nor Mirror shows the token, not even inside other values")
    func reflection() {
        let texts = [
            dumped(credential), dumped([credential]), dumped(Holder(credential: credential)),
            String(reflecting: Holder(credential: credential)), String(describing: Optional(credential)),
            "\(["key": credential])",
        ]

        for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
        #expect(Mirror(reflecting: credential).children.map(\.label) == ["expiresAt"])
    }

    @Test("The credential of tokens lasts as long as they can be renewed, if that is known")
    func tokens() {
        let (soon, later) = (Timestamp(microseconds: 1), Timestamp(microseconds: 2))
        func credential(refreshToken: String?, refreshExpiresAt: Timestamp?) -> SessionCredential {
            SessionCredential(
                of: AccessTokens(
                    id: "a", accessToken: "hunter2", refreshToken: refreshToken, expiresAt: soon,
                    refreshExpiresAt: refreshExpiresAt))
        }

        #expect(
            credential(refreshToken: "r", refreshExpiresAt: later)
                == SessionCredential(token: "a", expiresAt: later))
        #expect(
            credential(refreshToken: nil, refreshExpiresAt: later)
                == SessionCredential(token: "a", expiresAt: soon))
        #expect(credential(refreshToken: "r", refreshExpiresAt: nil) == SessionCredential(token: "a"))
    }

    @Test(
        "A server accepts the tokens in use until it refuses them; others are not sent",
        arguments: [("a", 5, 200, true), ("a", 5, 401, false), ("b", 5, 200, false), ("a", 0, 200, false)])
    func accepted(_ token: String, _ seconds: Int, _ status: Int, _ isAccepted: Bool) async throws {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in
            guard status == 200 else { throw APIError.problem(status, "unauthenticated") }
            return "{}"
        }
        let now = Timestamp(microseconds: 0)
        let credential = SessionCredential(token: token, expiresAt: now.adding(seconds: seconds))
        let endpoint = Endpoint<NoAnswer>(.get, "v1/users/me", access: .required)

        #expect(try await api.accepts(credential, at: now, for: endpoint) == isAccepted)
        #expect(await api.calls == (token == "a" && seconds > 0 ? ["GET v1/users/me"] : []))
    }

    @Test("A server that fails says nothing about the tokens")
    func undecided() async {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in throw APIError.problem(500, "internal") }
        let credential = SessionCredential(token: "a")

        await #expect(throws: APIError.self) {
            try await api.accepts(
                credential, at: Timestamp(microseconds: 0), for: Endpoint<NoAnswer>(.get, "v1/users/me"))
        }
    }

    @Test("The token is encoded with the credential, and decoded again")
    func coding() throws {
        let text = try StateCoding.encode(credential)

        #expect(text == #"{"expiresAt":0,"token":"hunter2"}"#)
        #expect(try StateCoding.decode(SessionCredential.self, from: text) == credential)
    }
}
