import AtriumKit
import Observation

/// One note.
@MainActor
@Observable
final class NoteViewModel: ViewModel {
    private(set) var note: Note?
    private let id: Int
    private let repository: NoteRepository

    init(_ id: Int, repository: NoteRepository) {
        self.id = id
        self.repository = repository
    }

    func load() async throws {
        note = try await repository.note(id)
    }

    func edit(title: String?, text: String?) async throws -> ActionResult {
        note = try await repository.update(id, title: title, text: text)
        return .updated("Saved.")
    }

    func delete() async throws -> ActionResult {
        try await repository.delete([id])
        return .leave("Deleted note \(id).", showing: NoteList())
    }
}
