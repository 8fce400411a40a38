import AtriumKit
import AtriumTesting
import Testing

@testable import __NAME__

@Suite("__NAME__") @MainActor
struct __NAME__Tests {
    @Test("Keeps what every module has to")
    func conforms() async throws { try await ModuleConformance.run(__NAME__Module.self) }

    @Test("The world is greeted first, then a guest, who is kept")
    func greets() async throws {
        let host = try await TestHost(__NAME__Module.self)

        let first = try await host.run("open __LINK__")
        let second = try await host.run("greet Grace")

        #expect(first.text().contains("Hello, world."))
        #expect(second.text().contains("Grace."))
        #expect(try await host.run("__LINK__/guests").json["total"] == 2)
    }

    @Test("A guest without a name is not greeted")
    func emptyName() async throws {
        let guests = try TestContainer(__NAME__Module.self).repository(RecordRepository<Guest>.self)

        await #expect(throws: ValidationError.self) { try await guests.create(Guest(name: "")) }
    }
}
