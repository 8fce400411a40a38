@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumLibraries
@testable import AtriumModules

private protocol PriceService: Sendable {
    func price() async throws -> Int
}

private struct MockPriceService: PriceService {
    let mock: MockBehavior

    func price() async throws -> Int {
        try await mock.play("price", ["of": "Pen"], failingWith: OutOfStock())
        return 3
    }
}

private struct SilentPriceService: PriceService {
    func price() async throws -> Int { 1 }
}

@Suite("Commands 'mock', 'mock set', 'mock calls' and 'mock --reset'")
@MainActor
struct MockCommandTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
        try shop.add("Prices") { registry in
            registry.service(
                (any PriceService).self, live: .unavailable, local: { _ in SilentPriceService() },
                mock: { MockPriceService(mock: $0.mock((any PriceService).self)) })
            registry.service(
                (any PriceService).self, named: "silent", live: .unavailable,
                local: { _ in SilentPriceService() }, mock: { _ in SilentPriceService() })
        }
    }

    private func service(_ name: String? = nil) throws -> any PriceService {
        try shop.host.runtime.container.value((any PriceService).self, .service, named: name)
    }

    @Test("A scenario applies from the next call on, also to a service that is built later")
    func set() async throws {
        _ = try await shop.output("mock set priceservice error")

        await #expect(throws: OutOfStock.self) { try await service().price() }
        _ = try await shop.output("mock set Prices.PriceService success")

        #expect(try await service().price() == 3)
    }

    @Test("Calls are listed with arguments and scenario")
    func calls() async throws {
        _ = try await service().price()
        _ = try await shop.output("mock set Prices slow --delay 0")
        _ = try await service().price()

        #expect(
            try await shop.json("mock calls")
                == #"{"rows":[{"number":1,"service":"PriceService","call":"price","arguments":"of: Pen","scenario":"success"},{"number":2,"service":"PriceService","call":"price","arguments":"of: Pen","scenario":"slow"}]}"#
        )
        #expect(try await shop.json("mock calls --last 1").contains("The last 1 of 2 calls."))
        _ = try await shop.output("mock --reset")
        #expect(try await shop.json("mock calls").contains("No calls yet."))
    }

    @Test("The delay is shown as it was typed", arguments: ["0", "1.005", "0.1", "3600"])
    func delay(_ seconds: String) async throws {
        _ = try await service().price()

        #expect(try await shop.json("mock set Prices slow --delay \(seconds)").contains("\"\(seconds) s\""))
    }

    @Test("The scenario of a mock without scenarios can't be set")
    func alwaysTheSame() async throws {
        _ = try service("silent")

        let error = try await shop.failure("mock set \"PriceService 'silent'\" error")

        #expect(error?.message.contains("has no scenarios") == true)
    }

    @Test(
        "An unknown service or an invalid value is an error",
        arguments: [
            ("mock set Pricservice error", "There is no service 'Pricservice'."),
            ("mock set PriceService slow --delay -1", "'delay' of 'mock set' must be from 0 to 3600 seconds"),
            (
                "mock set PriceService slow --delay -1e-30",
                "'delay' of 'mock set' must be from 0 to 3600 seconds, not '-1e-30'."
            ),
            (
                "mock set PriceService slow --delay 3600.00000000000000000001",
                "'delay' of 'mock set' must be from 0 to 3600 seconds"
            ),
            (
                "mock set PriceService slow --delay 1e400",
                "'delay' of 'mock set' must be from 0 to 3600 seconds, not '1e400'."
            ),
            ("mock calls --last 0", "'last' of 'mock calls' must be 1 or more"),
        ])
    func refused(_ line: String, _ message: String) async throws {
        #expect(try await shop.failure(line)?.message.hasPrefix(message) == true)
    }
}
