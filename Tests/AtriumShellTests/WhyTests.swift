@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumViews

private struct Layered: ExplainedError {
    let code: ErrorCode
    let message: String
    var hint: String?
    var cause: (any Error)?
}

@Suite("Command 'why'")
@MainActor
struct WhyTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    @Test("Each cause is listed down to the last, even if it has no message")
    func chain() async throws {
        let transport = Layered(code: "connectionLost", message: "It was cut.", cause: PlainFailure())
        let service = Layered(code: "unavailable", message: "No answer.", hint: "try again", cause: transport)

        let content = ExplainViews.chain(("items", service)).json

        guard case .array(let causes)? = content["rows"] else {
            Issue.record("There are no causes.")
            return
        }
        #expect(causes.map { $0["code"] } == ["unavailable", "connectionLost", "unexpected"])
        #expect(causes.map { $0["layer"] } == [1, 2, 3])
        #expect(content["command"] == "items")
    }

    @Test("A cyclic chain of causes ends after 20 entries")
    func endless() {
        final class Knot: ExplainedError, @unchecked Sendable {
            let code: ErrorCode = "knot"
            let message = "Again."
            var cause: (any Error)? { self }
        }

        guard case .array(let causes)? = ExplainViews.chain(("x", Knot())).json["rows"] else {
            Issue.record("There are no causes.")
            return
        }
        #expect(causes.count == 20)
    }

    @Test(
        "'why' shows the last failure without secrets, or that no command has failed")
    func last() async throws {
        #expect(try await shop.json("why").contains("No command has failed yet."))

        _ = try await shop.failure("frobnicate --password 12345678")
        let json = try await shop.json("why")

        #expect(json.contains("unknownCommand"))
        #expect(!json.contains("12345678"))
    }
}
