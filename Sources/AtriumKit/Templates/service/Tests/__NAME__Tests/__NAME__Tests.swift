import AtriumKit
import AtriumTesting
import Testing

@testable import __NAME__

/// A module that uses the numbers, knowing only the name and the type of the function, nothing of `__NAME__`.
private final class ClientModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.viewModel(ClientViewModel.self) { context in
            ClientViewModel(
                nextNumber: try context.useCase(
                    (@MainActor @Sendable (String) async throws -> Int).self, named: "__LINK__.next"))
        }
    }
}

private final class ClientViewModel: ViewModel {
    let nextNumber: @MainActor @Sendable (String) async throws -> Int

    init(nextNumber: @escaping @MainActor @Sendable (String) async throws -> Int) {
        self.nextNumber = nextNumber
    }
}

@Suite("The service of __NAME__") @MainActor
struct __NAME__Tests {
    @Test("Keeps what every module has to")
    func conforms() async throws { try await ModuleConformance.run(__NAME__Module.self) }

    @Test("Each series has its own consecutive numbers")
    func numbers() async throws {
        let container = try TestContainer(__NAME__Module.self)
        let screen: __NAME__ViewModel = try container.viewModel()

        #expect(try await screen.next(in: "invoices").message == "The number is 1.")
        #expect(try await screen.next(in: " invoices ").message == "The number is 2.")
        _ = try await screen.next(in: "deliveries")

        #expect(screen.series == [Series(name: "deliveries", last: 1), Series(name: "invoices", last: 2)])
        #expect(container.log.messages.count == 3)
    }

    @Test("Another module resolves the function by its type and name")
    func offered() async throws {
        let container = try TestContainer(__NAME__Module.self, ClientModule.self)
        let client: ClientViewModel = try container.viewModel()

        #expect(try await client.nextNumber("invoices") == 1)
        #expect(try await container.repository(NumberRepository.self).next(in: "invoices") == 2)
    }

    @Test(
        "A name that a series can't have is refused, and takes no number",
        arguments: ["", " ", "a\nb", String(repeating: "a", count: 41)])
    func refused(_ name: String) async throws {
        let container = try TestContainer(__NAME__Module.self)
        let numbers = try container.repository(NumberRepository.self)

        await #expect(throws: ValidationError.self) { try await numbers.next(in: name) }

        #expect(try await numbers.series().isEmpty)
    }

    @Test("An operator sets the first number, in its range")
    func configuration() async throws {
        let container = try TestContainer(__NAME__Module.self, configuration: ["firstNumber": 1000])
        #expect(try await container.repository(NumberRepository.self).next(in: "invoices") == 1000)

        let wrong = try TestContainer(__NAME__Module.self, configuration: ["firstNumber": -1])
        #expect(throws: ResolutionError.self) { try wrong.repository(NumberRepository.self) }
    }
}
