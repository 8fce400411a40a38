import AtriumKit

/// The source of greetings.
protocol GreetingService: Sendable {
    func greeting(for name: String) async throws -> Greeting
}

/// Greetings made on this machine.
struct LocalGreetingService: GreetingService {
    func greeting(for name: String) -> Greeting { Greeting(text: "Hello, \(name).") }
}

/// Greetings for tests and demos: they fail in scenario error, and are long in scenario edge.
struct MockGreetingService: GreetingService {
    let behavior: MockBehavior

    func greeting(for name: String) async throws -> Greeting {
        try await behavior.play(
            "greeting", ["name": name],
            failingWith: ServiceError.unavailable("The greeting service", mock: "GreetingService"))
        let name = behavior.scenario.kind == .edge ? String(repeating: "\(name) ", count: 100) : name
        return Greeting(text: "Hello, \(name) (mock).")
    }
}
