import AtriumKit

/// Where greetings come from.
protocol GreetingService: Sendable {
    func greeting(for name: String) async throws -> Greeting
}

/// Greetings of this machine.
struct LocalGreetingService: GreetingService {
    func greeting(for name: String) -> Greeting { Greeting(text: "Hello, \(name).") }
}

/// Greetings for tests and demos.
struct MockGreetingService: GreetingService {
    func greeting(for name: String) -> Greeting { Greeting(text: "Hello, \(name) (mock).") }
}
