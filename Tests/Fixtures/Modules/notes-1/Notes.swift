import AtriumKit
import Observation

/// Keeps notes in its database, and a draft in the state of a screen; `Build` says what its builds differ in.
final class NotesModule: FeatureModule {
    static var migrations: [Migration] { Build.migrations }

    func register(in registry: ModuleRegistry) {
        registry.service(
            NoteService.self, live: { NoteService(database: $0.database) },
            local: { NoteService(database: $0.database) }, mock: { NoteService(database: $0.database) })
        registry.repository(NoteRepository.self) { NoteRepository(service: try $0.service()) }
        registry.viewModel(NotesViewModel.self) { NotesViewModel(repository: try $0.repository()) }
        registry.viewModel(DraftViewModel.self) { _ in DraftViewModel() }
        registry.screen(Notes.self) { NotesView(viewModel: try $0.viewModel()) }
        registry.screen(NewNote.self) { NewNoteView(viewModel: try $0.viewModel()) }
    }
}

final class NoteService: Sendable {
    private let database: any Database

    init(database: any Database) {
        self.database = database
    }

    func texts() async throws -> [String] {
        try await database.read { connection in
            try connection.query(Build.query, []) { try $0.value(0) }
        }
    }

    func add(_ text: String) async throws {
        _ = try await database.write { connection in
            try connection.execute("INSERT INTO notes(text) VALUES (?)", [.text(text)])
        }
    }
}

@MainActor final class NoteRepository {
    private let service: NoteService

    init(service: NoteService) {
        self.service = service
    }

    func texts() async throws -> [String] { try await service.texts() }
    func add(_ text: String) async throws { try await service.add(text) }
}

@Observable final class NotesViewModel: ViewModel {
    private let repository: NoteRepository
    private(set) var texts: [String] = []

    init(repository: NoteRepository) {
        self.repository = repository
    }

    func load() async throws { texts = try await repository.texts() }

    func add(_ text: String) async throws {
        try await repository.add(text)
        try await load()
    }
}

struct Notes: Destination {
    static let pattern: LinkPattern = "notes"
}

struct NotesView: View {
    let viewModel: NotesViewModel

    var body: Content {
        Title("Notes \(Build.version)")
        for text in viewModel.texts { Text(text) }
    }

    var actions: [Action] {
        Action("add", "Add a note", Argument<String>("text")) { text in
            try await viewModel.add(text)
            return .updated
        }
    }

    func load() async throws { try await viewModel.load() }
}

@Observable final class DraftViewModel: ViewModel {
    private(set) var draft = Draft()
    var savedState: Draft { draft }

    func restore(_ state: Draft) { draft = state }
    func write(_ text: String) { draft.text = text }
    func price(_ price: Double) { draft.price = price }
}

struct NewNote: Destination {
    static let pattern: LinkPattern = "notes/new"
}

struct NewNoteView: View {
    let viewModel: DraftViewModel

    var body: Content {
        Title("Draft \(Build.version)")
        Field("text", viewModel.draft.text)
        Field("price", viewModel.draft.price)
    }

    var actions: [Action] {
        Action("write", "Write the text", Argument<String>("text")) { text in
            viewModel.write(text)
            return .updated
        }
        Action("divide", "Divide the price by a number", Argument<Double>("by")) { divisor in
            viewModel.price((viewModel.draft.price - 1) / divisor)
            return .updated
        }
    }
}
