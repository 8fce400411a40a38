import AtriumKit

/// Greetings, and the rule that a name is not empty.
@MainActor
final class GreetingRepository {
    private let greetings: any GreetingService

    init(greetings: any GreetingService) {
        self.greetings = greetings
    }

    func greeting(for name: String) async throws -> Greeting {
        guard !name.isEmpty else { throw GreetingError.noName }
        return try await greetings.greeting(for: name)
    }
}
