import AtriumKit
import Observation

/// The greeting on the screen.
@MainActor
@Observable
final class __NAME__ViewModel: ViewModel {
    private(set) var greeting = ""
    private let greetings: GreetingRepository

    init(greetings: GreetingRepository) { self.greetings = greetings }

    func load() async throws { greeting = try await greetings.greeting(for: "world").text }

    func greet(_ name: String) async throws -> ActionResult {
        greeting = try await greetings.greeting(for: name).text
        return .updated()
    }
}
