@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import Entities
@testable import Session
@testable import UserProfile

/// The three modules with their mock services, whose screens a test brings into a state.
@MainActor
final class Lodgings {
    let container: TestContainer
    let session: TestSession

    /// - Parameters:
    ///   - user: The signed-in user; a guest if nil.
    ///   - scenario: The scenario of the mock services.
    /// - Throws: Errors in the registrations of the modules.
    init(_ user: SessionUser? = nil, scenario: String = "edge") throws {
        session = TestSession(user)
        container = try TestContainer(
            SessionModule.self, UserProfileModule.self, EntitiesModule.self,
            configuration: ["scenario": .string(scenario)], session: session)
    }

    /// The screen at a link after its load, which may fail.
    func screen(_ link: String) async throws -> ShownScreen {
        let screen = try unloaded(link)
        try? await screen.view.load()
        return screen
    }

    /// The screen at a link before its load.
    func unloaded(_ link: String) throws -> ShownScreen {
        ShownScreen(view: try container.view(at: link))
    }

    /// Creates an entity and returns the link of its screen.
    func create(_ name: String, _ category: String? = nil, _ notes: String? = nil) async throws -> String {
        var values = ["name": name]
        values["category"] = category
        values["notes"] = notes
        let result = try await unloaded("entities").perform("create", values)
        guard case .destination(let destination) = result.presentation else { return "entities" }
        return try destination.link().description
    }
}

/// A screen and its actions.
@MainActor
struct ShownScreen {
    let view: any View

    var content: Content { view.body }

    @discardableResult
    func perform(_ action: String, _ values: [String: String] = [:]) async throws -> ActionResult {
        let action = try #require(view.actions.first { $0.name == action }, "There is no action '\(action)'.")
        return try await action.perform(ArgumentValues(values))
    }

    /// Performs an action that must fail; the screen may show the error.
    func fail(_ action: String, _ values: [String: String] = [:]) async {
        await #expect(throws: (any Error).self) { try await perform(action, values) }
    }
}
