import AtriumKit
import Observation

/// A page of the notes, and the sign-in.
@MainActor
@Observable
final class NoteListViewModel: ViewModel {
    private(set) var page: NotePage?
    private(set) var number: Int
    private(set) var search: String?
    private let repository: NoteRepository

    init(_ list: NoteList, repository: NoteRepository) {
        number = list.page ?? 1
        search = list.search
        self.repository = repository
    }

    func load() async throws {
        page = try await repository.page(number, search: search)
    }

    func list(page number: Int, search: String?) async throws -> ActionResult {
        page = try await repository.page(number, search: search)
        (self.number, self.search) = (number, search)
        return .updated
    }

    func create(title: String, text: String) async throws -> ActionResult {
        let note = try await repository.create(title: title, text: text)
        return await .made("Created note \(note.id), '\(note.title)'.") { try await load() }
    }

    func delete(_ texts: [String]) async throws -> ActionResult {
        let ids = texts.compactMap { Int($0) }
        try ValidationError.check(
            texts.filter { Int($0) == nil }.map {
                ValidationFinding("'\($0)' is not the id of a note.", field: "ids")
            })
        try await repository.delete(ids)
        return await .made("Deleted \(ids.count) notes.") { try await load() }
    }

    func signIn(email: String, password: String) async throws -> ActionResult {
        try await repository.signIn(email: email, password: password)
        return await .made("Signed in as \(email).") { try await load() }
    }

    func signOut() async throws -> ActionResult {
        try await repository.signOut()
        page = nil
        return .updated("Signed out.")
    }
}
