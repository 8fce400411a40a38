import AtriumKit
import AtriumTesting
import Testing

@testable import __NAME__

@Suite("__NAME__") @MainActor
struct __NAME__Tests {
    private let viewModel = __NAME__ViewModel(greetings: GreetingRepository(greetings: MockGreetingService()))

    @Test("The world is greeted first, then whoever is named")
    func greets() async throws {
        try await viewModel.load()
        let first = viewModel.greeting
        _ = try await viewModel.greet("Ada")

        #expect(first == "Hello, world (mock).")
        #expect(viewModel.greeting == "Hello, Ada (mock).")
    }

    @Test("Nobody without a name is greeted")
    func emptyName() async {
        await #expect(throws: GreetingError.self) { try await viewModel.greet("") }
    }
}
