import AtriumKit

/// Keeps the last answers of the services, for when the server can't be reached.
protocol ProfileOfflineStore: Sendable {
    func save<Answer>(_ answer: Answer, _ key: SavedAnswerKey<Answer>, account: String) async
    /// The saved answer; nil if there is none.
    func saved<Answer>(_ key: SavedAnswerKey<Answer>, account: String) async -> Stale<Answer>?
    func remove<Answer>(_ key: SavedAnswerKey<Answer>, account: String) async
}

/// The key of a saved answer, with its type.
struct SavedAnswerKey<Answer: Codable & Sendable>: Sendable {
    let text: String
}

extension ProfileOfflineStore {
    /// The answer that `ask` gets, which is saved; the saved one if the server can't be reached.
    nonisolated(nonsending) func answer<Answer>(
        _ key: SavedAnswerKey<Answer>, account: String,
        _ ask: nonisolated(nonsending) () async throws -> Answer
    ) async throws -> Stale<Answer> {
        do {
            let answer = try await ask()
            await save(answer, key, account: account)
            return Stale(answer)
        } catch let error where error.isOffline {
            guard let saved = await saved(key, account: account) else { throw error }
            return saved
        }
    }
}

struct SavedProfileAnswers: ProfileOfflineStore {
    private let store: OfflineStore

    init(_ store: OfflineStore) {
        self.store = store
    }

    nonisolated(nonsending) func save<Answer>(
        _ answer: Answer, _ key: SavedAnswerKey<Answer>, account: String
    ) async {
        await store.save(answer, for: key.text, account: account)
    }

    /// The saved answer; nil if there is none.
    nonisolated(nonsending) func saved<Answer>(_ key: SavedAnswerKey<Answer>, account: String) async -> Stale<
        Answer
    >? {
        await store.value(Answer.self, for: key.text, account: account)
    }

    nonisolated(nonsending) func remove<Answer>(_ key: SavedAnswerKey<Answer>, account: String) async {
        await store.remove(key.text, account: account)
    }
}

extension SavedAnswerKey<StoredProfile> {
    /// The profile of an account; ``StoredProfile/none`` if none was submitted.
    static func profile(ofAccount account: String) -> Self { Self(text: "profile \(account)") }
}

extension SavedAnswerKey<UserPage> {
    static func users(_ query: UserQuery) -> Self {
        let status = query.filter.status?.rawValue ?? "any"
        return Self(
            text: "users \(status) \(query.sort.rawValue) \(query.page) \(query.size) "
                + (query.filter.search.map(UserFilter.key) ?? ""))
    }
}

extension SavedAnswerKey<Person> {
    static func person(_ id: String) -> Self { Self(text: "person \(id)") }
}
