import AtriumKit

/// The notes of a person, and the sign-in to their server.
protocol NoteService: Sendable {
    /// Signs in, also in later processes.
    func signIn(email: String, password: String) async throws
    func signOut() async throws

    /// A page, from 1, of the notes that have a text in them.
    func page(_ number: Int, search: String?) async throws -> NotePage
    func note(_ id: Int) async throws -> Note
    func create(title: String, text: String) async throws -> Note
    /// Changes what is not nil.
    func update(_ id: Int, title: String?, text: String?) async throws -> Note
    /// Deletes notes; the others are gone too if one can't be deleted.
    func delete(_ ids: [Int]) async throws
}
