@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumModules
@testable import AtriumText

@Suite("Links that wait for their module")
@MainActor
struct WaitingLinkTests {
    private let shop: TestHost

    init() throws { shop = try TestHost() }

    @Test("A link that no module has waits, and 'where' lists it; a typing error does not wait")
    func waiting() async throws {
        let error = try await shop.failure("open counter")
        #expect(error?.message == "No screen has the link 'counter'. It is announced once a module has it.")
        #expect(try await shop.failure("open itmes")?.message == "No screen has the link 'itmes'.")

        #expect(try await shop.output("where").content?.json["waiting"] == ["counter"])
    }

    @Test("Once a module has it, it is announced once; no command answers for it, and the stack stays")
    func available() async throws {
        var announced: [String] = []
        shop.scene.announce = { announced.append($0) }
        _ = try await shop.failure("open archive")
        shop.scene.announceNews()
        #expect(announced.isEmpty)

        try shop.addArchive(ArchiveLog())
        for line in ["modules", "where", "links"] {
            #expect(try await shop.output(line).message == nil, "\(line)")
        }
        #expect(shop.stack.isEmpty)
        shop.scene.announceNews()
        shop.scene.announceNews()

        #expect(announced == ["'archive' is available now: open archive"])
    }

    @Test("A note about a module loaded on demand is announced after the command")
    func note() async throws {
        var announced: [String] = []
        shop.scene.announce = { announced.append($0) }
        shop.host.runtime.events = [ModuleEvent(level: .note, code: "migrated", message: "Migrated.")]

        let warnings = await shop.scene.didRun()

        #expect(warnings.isEmpty)
        #expect(announced == ["Migrated."])
    }
}
