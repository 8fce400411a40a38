import AtriumKit
import AtriumTesting
import Testing

@testable import __NAME__

@Suite("__NAME__") @MainActor
struct __NAME__Tests {
    @Test("Keeps what every module has to")
    func conforms() async throws { try await ModuleConformance.run(__NAME__Module.self) }

    @Test("The world is greeted first, then whoever is named")
    func greets() async throws {
        let host = try await TestHost(__NAME__Module.self)

        let first = try await host.run("open __LINK__")
        let second = try await host.run("greet Ada")

        #expect(first.text().contains("Hello, world (mock)."))
        #expect(second.text().contains("Hello, Ada (mock)."))
    }

    @Test("Nobody without a name is greeted")
    func emptyName() async throws {
        let greetings = try TestContainer(__NAME__Module.self).repository(GreetingRepository.self)

        await #expect(throws: ServiceError.noName) { try await greetings.greeting(for: "") }
    }
}
