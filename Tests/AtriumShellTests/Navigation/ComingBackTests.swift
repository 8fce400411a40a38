@_spi(Host) import AtriumKit
import AtriumNavigation
import Testing

@testable import AtriumShell

@Suite("A place that comes back")
@MainActor
struct ComingBackTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    /// How often the list of items was loaded.
    private var loads: Int { shop.log.lines.filter { $0 == "load" }.count }

    @Test(
        "It is brought up to date, however it comes back",
        arguments: ["back", "pop items", "nav front items"])
    func loaded(_ line: String) async throws {
        _ = try await shop.output("open items")
        _ = try await shop.output("open items/7")

        _ = try await shop.output(line)

        #expect(shop.stack.last == "items")
        #expect(loads == 2)
    }

    @Test("What stays the current one is not loaded again, nor is what was entered just now")
    func onlyOnce() async throws {
        _ = try await shop.output("open items")
        _ = try await shop.output("pop items")
        _ = try await shop.output("nav front items")
        _ = try await shop.output("nav replace items")

        #expect(loads == 2)
    }

    @Test(
        "It is loaded once where something that was presented over it was left",
        arguments: [
            "nav dismiss", "nav dismiss --result 5", "back", "delete --yes",
        ])
    func dismissed(_ line: String) async throws {
        _ = try await shop.output("open items")
        _ = try await shop.output("nav present items/7")
        #expect(loads == 1)

        let output = try await shop.output(line)

        #expect(output.content?.json["title"] == "Items")
        #expect(shop.stack == ["items"])
        #expect(loads == 2)
    }

    @Test(
        "A question above it changes nothing, so that it is not loaded again",
        arguments: ["yes", "no", "back"])
    func asked(_ answer: String) async throws {
        let log = ArchiveLog()
        log.isMember = true
        try shop.addArchive(log)
        shop.interpreter.canAsk = true
        _ = try await shop.output("open archive")
        _ = try await shop.output("ask")
        #expect(shop.stack == ["archive", "alert"])

        let output = try await shop.output(answer)

        #expect(output.content?.json["title"] == "Archive")
        #expect(log.lines.filter { $0 == "load" }.count == 1)
        #expect(log.lines.contains("ask") == (answer == "yes"))
    }

    @Test("Nothing leads forward to a place that an action was done with; back from it is remembered")
    func forward() async throws {
        _ = try await shop.output("open items")
        _ = try await shop.output("open items/7")
        _ = try await shop.output("delete --yes")

        #expect(try await shop.output("forward").message == "There is nothing to go forward to.")
        #expect(shop.stack == ["items"])

        _ = try await shop.output("open items/7")
        _ = try await shop.output("back")
        _ = try await shop.output("forward")
        #expect(shop.stack == ["items", "items/7"])
    }

    @Test("The journal tells that it was left for good, and replays it")
    func journal() async throws {
        _ = try await shop.output("open items")
        _ = try await shop.output("open items/7")
        _ = try await shop.output("delete --yes")
        let records = shop.coordinator.journal.records

        #expect(records.map(\.request.description) == ["push items", "push items/7", "leave --force"])
        let report = try await shop.coordinator.replay(records, isForced: false)
        #expect(report.differences.isEmpty)
        #expect(shop.coordinator.state.ahead.isEmpty)
    }
}
