@_spi(Host) import AtriumKit
import AtriumNavigation
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("Returning to a screen")
@MainActor
struct ComingBackTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    /// The number of times that the list of items was loaded.
    private var loads: Int { shop.log.lines.filter { $0 == "load" }.count }

    @Test(
        "A screen is loaded again when it is current again, whichever command does that",
        arguments: ["back", "back items"])
    func loaded(_ line: String) async throws {
        _ = try await shop.output("open items")
        _ = try await shop.output("open items/7")

        _ = try await shop.output(line)

        #expect(shop.stack.last == "items")
        #expect(loads == 2)
    }

    @Test("A screen that stays current is not loaded again, and one that is entered is loaded once")
    func onlyOnce() async throws {
        _ = try await shop.output("open items")
        _ = try await shop.output("back items")
        _ = try await shop.output("nav replace items")

        #expect(loads == 2)
    }

    @Test(
        "A screen is loaded once when a screen presented over it is left",
        arguments: ["back", "back items", "delete --yes"])
    func dismissed(_ line: String) async throws {
        _ = try await shop.output("open items")
        try await shop.coordinator.navigate(NavigationRequest(.present, link: "items/7"))
        #expect(loads == 1)

        let output = try await shop.output(line)

        #expect(output.content?.json["title"] == "Items")
        #expect(shop.stack == ["items"])
        #expect(loads == 2)
    }

    @Test("A screen is not loaded again after a question over it", arguments: ["yes", "no", "back"])
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

    @Test("'forward' does not reopen a screen that its action left; it reopens one left by 'back'")
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
}
