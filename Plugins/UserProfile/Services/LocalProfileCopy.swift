import AtriumKit

/// Keeps what remote services answered in the module's own database, for one server.
struct LocalProfileCopy: ProfileCopyService {
    private let copies: OfflineStore

    /// - Parameters:
    ///   - database: The module's own.
    ///   - server: The address of the server that answers; without one nothing is kept.
    init(database: any Database, server: String?) {
        copies = OfflineStore(database: database, server: server)
    }

    func keep<Answer>(
        _ answer: Answer, to question: CopiedQuestion<Answer>, of reader: String, at moment: Timestamp
    ) async throws {
        try await copies.keep(answer, as: question.key, of: reader, at: moment)
    }

    func answer<Answer>(
        to question: CopiedQuestion<Answer>, of reader: String
    ) async throws -> Stale<Answer>? {
        try await copies.last(Answer.self, question.key, of: reader).map { Stale($0.answer, asOf: $0.asOf) }
    }

    func forget<Answer>(_ question: CopiedQuestion<Answer>, of reader: String) async throws {
        try await copies.forget(question.key, of: reader)
    }
}
