@_spi(Host) import AtriumKit
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

    @Test("The token is encoded with the credential, and decoded again")
    func coding() throws {
        let text = try StateCoding.encode(credential)

        #expect(text == #"{"expiresAt":0,"token":"hunter2"}"#)
        #expect(try StateCoding.decode(SessionCredential.self, from: text) == credential)
    }
}
