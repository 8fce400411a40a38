import AtriumKit
import Observation

// A module of the tests, with a part of each kind.

struct Entry: Hashable, Codable, Sendable {
    let text: String
    let mood: String
}

protocol JournalService: Sendable {
    func entries() async throws -> [Entry]
    func add(_ entry: Entry) async throws
    func clear() async throws
}

actor MockJournalService: JournalService {
    struct Failure: Error {}

    private let behavior: MockBehavior
    private var stored: [Entry] = []

    init(_ behavior: MockBehavior) { self.behavior = behavior }

    func entries() async throws -> [Entry] {
        try await behavior.play("entries", failingWith: Failure())
        return behavior.scenario.kind == .edge
            ? [Entry(text: String(repeating: "long ", count: 60), mood: "high")] : stored
    }

    func add(_ entry: Entry) async throws {
        try await behavior.play("add", ["text": entry.text], failingWith: Failure())
        stored.append(entry)
    }

    func clear() async throws {
        try await behavior.play("clear", failingWith: Failure())
        stored = []
    }
}

struct LocalJournalService: JournalService {
    let database: any Database

    func entries() async throws -> [Entry] {
        try await database.read { connection in
            try connection.query("SELECT text, mood FROM entries ORDER BY id", []) {
                Entry(text: try $0.value(0), mood: try $0.value(1))
            }
        }
    }

    func add(_ entry: Entry) async throws {
        try await database.write {
            _ = try $0.execute(
                "INSERT INTO entries (text, mood) VALUES (?, ?)",
                [entry.text.databaseValue, entry.mood.databaseValue])
        }
    }

    func clear() async throws { try await database.write { _ = try $0.execute("DELETE FROM entries") } }
}

final class JournalRepository: Sendable {
    private let service: any JournalService

    init(service: any JournalService) { self.service = service }

    func entries() async throws -> [Entry] { try await service.entries() }
    func add(_ entry: Entry) async throws { try await service.add(entry) }
    func clear() async throws { try await service.clear() }
}

@MainActor
@Observable
final class JournalViewModel: ViewModel {
    struct SavedState: Codable { var note: String }

    private let repository: JournalRepository
    private let navigator: any Navigator
    private(set) var entries: [Entry] = []
    private(set) var note = ""

    init(repository: JournalRepository, navigator: any Navigator) {
        (self.repository, self.navigator) = (repository, navigator)
    }

    var savedState: SavedState { SavedState(note: note) }
    func restore(_ state: SavedState) { note = state.note }

    func load() async throws { entries = try await repository.entries() }

    func add(_ text: String, _ mood: String) async throws {
        try await repository.add(Entry(text: text, mood: mood))
        try await load()
    }

    func clear() async throws {
        try await repository.clear()
        try await load()
    }

    func write(_ text: String) { note = text }

    func choose() async throws -> String? { try await navigator.present(MoodsDestination()) }
}

struct JournalDestination: Destination {
    static let pattern: LinkPattern = "journal"
}

struct JournalView: View {
    let viewModel: JournalViewModel

    var body: Content {
        Title("Journal")
        if viewModel.entries.isEmpty { Text("Nothing written yet.") }
        Table(viewModel.entries) {
            Column("text") { $0.text }
            Column("mood") { $0.mood }
        }
        Field("note", viewModel.note)
    }

    var actions: [Action] {
        Action(
            "add", "Write an entry", Argument<String>("text", "What happened"),
            Argument("mood", "How it was", default: "low", choices: ["low", "high"])
        ) { text, mood in
            try await viewModel.add(text, mood)
            return .updated("Added.")
        }
        Action("clear", "Delete all entries", effect: .destroys) {
            try await viewModel.clear()
            return .updated("Cleared.")
        }
        Action("note", "Keep a note", Argument<String>("text", "The note")) { text in
            viewModel.write(text)
            return .updated
        }
        Action("choose", "Choose a mood", effect: .navigates) {
            guard let mood = try await viewModel.choose() else { return .updated("No mood was chosen.") }
            return .updated("The mood is \(mood).")
        }
    }

    func load() async throws { try await viewModel.load() }
}

struct MoodsDestination: ResultDestination {
    typealias Result = String

    static let pattern: LinkPattern = "moods"
}

struct MoodsView: View {
    var body: Content { Title("Moods") }

    var actions: [Action] {
        Action("take", "Take a mood", Argument<String>("mood", "The mood", choices: ["low", "high"])) {
            mood in
            try ActionResult.dismiss(returning: mood)
        }
    }
}

final class JournalModule: FeatureModule {
    var visits = 0

    static let migrations = [
        Migration(
            1, "create entries",
            sql: "CREATE TABLE entries (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"),
        Migration(2, "add moods", sql: "ALTER TABLE entries ADD COLUMN mood TEXT NOT NULL DEFAULT 'low'"),
    ]

    func register(in registry: ModuleRegistry) throws {
        registry.service(
            (any JournalService).self, live: .unavailable,
            local: { LocalJournalService(database: $0.database) },
            mock: { MockJournalService($0.mock((any JournalService).self)) })
        registry.repository(JournalRepository.self) { JournalRepository(service: try $0.service()) }
        registry.viewModel(JournalViewModel.self) {
            JournalViewModel(repository: try $0.repository(), navigator: $0.navigator)
        }
        registry.screen(JournalDestination.self) { JournalView(viewModel: try $0.viewModel()) }
        registry.screen(MoodsDestination.self) { _ in MoodsView() }
    }

    func snapshot(version: Int) throws -> ModuleSnapshot? { try ModuleSnapshot(version: 1, visits) }
    func restore(_ snapshot: ModuleSnapshot) throws { visits = try snapshot.decode() }
}
