import AtriumKit
import Observation

// A module that breaks what conformance checks, a rule each.

protocol WrongService: Sendable {
    func words() async throws -> [String]
}

/// Without scenarios.
struct MockWrongService: WrongService {
    func words() async throws -> [String] { ["one"] }
}

@MainActor
@Observable
final class WrongViewModel: ViewModel {
    struct SavedState: Codable { var count: Int }

    /// Keeps what should go.
    static var held: [AnyObject] = []

    private let service: any WrongService
    private(set) var words: [String] = []
    private var count = 0

    init(service: any WrongService) {
        self.service = service
        Self.held.append(self)
    }

    /// Another one each time.
    var savedState: SavedState { SavedState(count: Self.held.count) }
    func restore(_ state: SavedState) {}
    func load() async throws { words = try await service.words() }
}

/// Loses its number.
struct WrongDestination: Destination {
    static let pattern: LinkPattern = "wrong/:number"
    static let sample: WrongDestination? = WrongDestination(number: 1)
    let number: Int

    init(number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
        number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number) + 1
    }

    private enum CodingKeys: String, CodingKey { case number }
}

struct WrongView: View {
    let viewModel: WrongViewModel

    var body: Content {
        Field("words", viewModel.words.joined(separator: " "))
        Field("words", viewModel.words.count)
    }

    var actions: [Action] {
        Action("do", "", Argument<String>("what")) { _ in .updated }
    }

    func load() async throws { try await viewModel.load() }
}

struct EmptyDestination: Destination {
    static let pattern: LinkPattern = "empty"
}

struct EmptyView: View {
    var body: Content { Content() }
}

final class WrongModule: FeatureModule {
    static let migrations = [
        Migration(1, "create words", sql: "CREATE TABLE words (length INTEGER) STRICT"),
        Migration(
            2, "limit lengths",
            sql:
                "CREATE TABLE long (length INTEGER CHECK (length > 5)) STRICT; INSERT INTO long SELECT * FROM words"
        ),
    ]

    private static var loads = 0

    func register(in registry: ModuleRegistry) throws {
        registry.service(
            (any WrongService).self, live: .unavailable, local: { _ in MockWrongService() },
            mock: { _ in MockWrongService() })
        registry.repository(WrongRepository.self) { WrongRepository(service: try $0.service()) }
        registry.viewModel(WrongViewModel.self) {
            WrongViewModel(service: try $0.repository(WrongRepository.self).service)
        }
        registry.screen(WrongDestination.self) { WrongView(viewModel: try $0.viewModel()) }
        registry.screen(EmptyDestination.self) { _ in EmptyView() }
    }

    func activate(_ context: borrowing ActivationContext) async throws { WrongViewModel.held.append(self) }

    func snapshot(version: Int) throws -> ModuleSnapshot? {
        Self.loads += 1
        return try ModuleSnapshot(version: 1, Self.loads)
    }
}

struct WrongRepository: Sendable {
    let service: any WrongService
}
