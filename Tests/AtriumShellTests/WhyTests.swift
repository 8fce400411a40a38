@_spi(Host) import AtriumKit
import Testing

@testable import AtriumShell

private struct Layered: ExplainedError {
    let code: ErrorCode
    let message: String
    var hint: String?
    var cause: (any Error)?
}

@Suite("why tells what the last command failed with, layer by layer")
@MainActor
struct WhyTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    @Test("each cause down to the one without, also one that does not explain itself")
    func chain() async throws {
        let transport = Layered(code: "connectionLost", message: "It was cut.", cause: PlainFailure())
        let service = Layered(code: "unavailable", message: "No answer.", hint: "try again", cause: transport)

        let content = ExplainViews.chain(("items", service)).json

        guard case .array(let causes)? = content["causes"] else {
            Issue.record("There are no causes.")
            return
        }
        #expect(causes.map { $0["code"] } == ["unavailable", "connectionLost", "unexpected"])
        #expect(causes.map { $0["layer"] } == [1, 2, 3])
        #expect(content["command"] == "items")
    }

    @Test("a chain that comes back to itself ends")
    func endless() {
        final class Knot: ExplainedError, @unchecked Sendable {
            let code: ErrorCode = "knot"
            let message = "Again."
            var cause: (any Error)? { self }
        }

        guard case .array(let causes)? = ExplainViews.chain(("x", Knot())).json["causes"] else {
            Issue.record("There are no causes.")
            return
        }
        #expect(causes.count == 20)
    }

    @Test(
        "it is the last failure, with the command and without what is secret in it; before any there is none")
    func last() async throws {
        #expect(try await shop.json("why").contains("No command has failed yet."))

        _ = try await shop.failure("frobnicate --password 12345678")
        let json = try await shop.json("why")

        #expect(json.contains("unknownCommand"))
        #expect(!json.contains("12345678"))
    }
}
