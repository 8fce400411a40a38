import AtriumKit
import AtriumTesting
import Testing

@testable import Shop

@Suite("The shop in a host") @MainActor
struct ShopTests {
    private func host(_ user: SessionUser? = .ada) async throws -> TestHost {
        try await TestHost(
            SessionModule.self, CatalogModule.self, ShopModule.self, session: TestSession(user))
    }

    private func calls(_ host: TestHost) throws -> [String] {
        try #require(host.container.mock("OrderService")).calls.map(\.name)
    }

    @Test("It keeps what every module has to")
    func conforms() async throws {
        try await ModuleConformance.run(ShopModule.self, with: SessionModule.self, CatalogModule.self)
    }

    @Test("A purchase asks, with the total; without an answer it makes no call")
    func asks() async throws {
        let host = try await host()
        _ = try host.container.service((any RecordService<Order>).self)
        try await host.run("open shop/products/2; quantity 3")

        let error = await #expect(throws: ServiceError.self) { try await host.run("buy") }

        #expect(error?.code == "confirmationNeeded")
        #expect(error?.message == "'buy' needs confirmation: Buy 3 × 'Blue lamp' for 147.00 €?")
        #expect(try calls(host) == [])
    }

    @Test("A script answers with '--yes'; the order is made once, and stored with what was paid")
    func confirmed() async throws {
        let host = try await host()

        let bought = try await host.run("open shop/products/2; quantity 3; buy --yes")

        #expect(bought.message == "Bought 3 × 'Blue lamp' for 147.00 €.")
        #expect(try calls(host) == ["create"])
        #expect(try await host.run("shop/account").json["total"] == "147.00 €")
    }

    @Test("The list is for everybody; the account of a user needs one")
    func guests() async throws {
        let host = try await host(nil)

        #expect(try await host.run("shop").text().contains("Blue lamp"))
        let refused = await #expect(throws: ServiceError.self) { try await host.run("open shop/account") }
        let error = await #expect(throws: ServiceError.self) {
            try await host.run("shop/products/2 buy --yes")
        }

        #expect(refused?.message.contains("The guard of Session refuses.") == true)
        #expect(error?.message == "You are not signed in.")
        #expect(host.stack == [])
    }

    @Test("The quantity survives a restart")
    func restarted() async throws {
        let host = try await host()
        try await host.run("open shop/products/2; quantity 3")

        try await host.restart()

        #expect(try await host.run("buy --yes").message == "Bought 3 × 'Blue lamp' for 147.00 €.")
    }
}
