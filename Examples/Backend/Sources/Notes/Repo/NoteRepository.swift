import AtriumKit

/// The notes, and the rule that a page is a positive number.
@MainActor
final class NoteRepository {
    private let notes: any NoteService

    init(notes: any NoteService) {
        self.notes = notes
    }

    func signIn(email: String, password: String) async throws {
        try await notes.signIn(email: email, password: password)
    }

    func signOut() async throws { try await notes.signOut() }

    func page(_ number: Int, search: String?) async throws -> NotePage {
        try ValidationError.check(ValidationFinding.checking("page", number, within: 1...1_000_000))
        return try await notes.page(number, search: search)
    }

    func note(_ id: Int) async throws -> Note { try await notes.note(id) }

    func create(title: String, text: String) async throws -> Note {
        try await notes.create(title: title, text: text)
    }

    func update(_ id: Int, title: String?, text: String?) async throws -> Note {
        try await notes.update(id, title: title, text: text)
    }

    func delete(_ ids: [Int]) async throws { try await notes.delete(ids) }
}
