import AtriumKit

/// Keeps the last answers of the services for when the server can't be reached.
protocol ProfileOfflineStore: Sendable {
    func save(_ answer: some Codable & Sendable, for key: String, account: String?) async
    func value<Answer: Codable & Sendable>(
        _ type: Answer.Type, for key: String, account: String?
    ) async -> Stale<Answer>?
    func remove(_ key: String, account: String?) async
}

extension OfflineStore: ProfileOfflineStore {}

extension ProfileOfflineStore {
    /// Returns and saves the answer of `ask`; returns the saved one if the server can't be reached.
    nonisolated(nonsending) func answer<Answer: Codable & Sendable>(
        _ key: String, account: String, _ ask: nonisolated(nonsending) () async throws -> Answer
    ) async throws -> Stale<Answer> {
        do {
            let answer = try await ask()
            await save(answer, for: key, account: account)
            return Stale(answer)
        } catch let error where error.isOffline {
            guard let saved = await value(Answer.self, for: key, account: account) else { throw error }
            return saved
        }
    }
}

enum SavedAnswer {
    /// The profile of an account; ``StoredProfile/none`` if none was submitted.
    static func profile(ofAccount account: String) -> String { "profile \(account)" }
    static func person(_ id: String) -> String { "person \(id)" }

    static func users(_ query: UserQuery) -> String {
        let status = query.filter.status?.rawValue ?? "any"
        return "users \(status) \(query.sort.rawValue) \(query.page) \(query.size) "
            + (query.filter.search.map(UserFilter.key) ?? "")
    }
}
