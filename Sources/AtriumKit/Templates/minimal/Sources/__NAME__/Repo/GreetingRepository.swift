import AtriumKit

/// Greetings, and the rule that a name is not empty.
@MainActor
struct GreetingRepository {
    let greetings: any GreetingService

    func greeting(for name: String) async throws -> Greeting {
        guard !name.isEmpty else { throw ServiceError.noName }
        return try await greetings.greeting(for: name)
    }
}
