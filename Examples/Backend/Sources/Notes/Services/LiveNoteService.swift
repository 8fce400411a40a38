import AtriumKit

/// Notes at the server, whose API client keeps the tokens.
struct LiveNoteService: NoteService {
    let api: any APIClient

    func signIn(email: String, password: String) async throws {
        do {
            let former = await api.tokens
            try await api.use(try await api.obtainTokens(.password(username: email, password: password)))
            if let former { try? await api.revoke(former) }
        } catch let error as APIError where error.code == .invalidGrant {
            throw ServiceError.wrongPassword(cause: error)
        }
    }

    func signOut() async throws {
        guard let tokens = await api.tokens else { return }
        try await api.revoke(tokens)
        try await api.use(nil)
    }

    func page(_ number: Int, search: String?) async throws -> NotePage {
        let page = try await request(.notes(page: number, search: search))
        return NotePage(
            notes: try page.rows.map { try $0.note() }, total: page.total ?? page.rows.count,
            hasNext: page.hasNext ?? false)
    }

    func note(_ id: Int) async throws -> Note {
        try await request(.note(id), of: id).note(id)
    }

    func create(title: String, text: String) async throws -> Note {
        try await request(.create(NoteBody(title: title, text: text))).note()
    }

    func update(_ id: Int, title: String?, text: String?) async throws -> Note {
        try await request(.update(id, NoteBody(title: title, text: text)), of: id).note(id)
    }

    func delete(_ ids: [Int]) async throws {
        let results = try await api.batch(ids.map { .delete($0) }, width: 4)
        for (id, result) in zip(ids, results) {
            do { _ = try result.get() } catch { throw explain(error, of: id) }
        }
    }

    private func request<Answer: Decodable & Sendable>(
        _ endpoint: Endpoint<Answer>, of id: Int? = nil
    ) async throws -> Answer {
        do {
            return try await api.request(endpoint)
        } catch {
            throw explain(error, of: id)
        }
    }

    /// A failure in the words of this module, if it has a meaning here.
    private func explain(_ error: any Error, of id: Int?) -> any Error {
        guard let error = error as? APIError else { return error }
        if let id, error.status == 404 { return ServiceError.noSuchNote(id, cause: error) }
        return error.validationError ?? error
    }
}
