import AtriumKit

/// The last answers of the services, for when the server can't be reached.
struct ProfileOfflineStore: Sendable {
    private let store: OfflineStore
    static let none = ProfileOfflineStore(.none)

    init(_ store: OfflineStore) {
        self.store = store
    }

    /// The key of an answer, with its type.
    struct Key<Answer: Codable & Sendable>: Sendable {
        let text: String
    }

    /// The answer that `ask` gets, which is saved; the saved one if the server can't be reached.
    nonisolated(nonsending) func answer<Answer>(
        _ key: Key<Answer>, account: String, _ ask: nonisolated(nonsending) () async throws -> Answer
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

    nonisolated(nonsending) func save<Answer>(
        _ answer: Answer, _ key: Key<Answer>, account: String
    ) async {
        await store.save(answer, for: key.text, account: account)
    }

    /// The saved answer; nil if there is none.
    nonisolated(nonsending) func saved<Answer>(_ key: Key<Answer>, account: String) async -> Stale<Answer>? {
        await store.value(Answer.self, for: key.text, account: account)
    }

    nonisolated(nonsending) func remove<Answer>(_ key: Key<Answer>, account: String) async {
        await store.remove(key.text, account: account)
    }
}

extension ProfileOfflineStore.Key<StoredProfile> {
    /// The profile of an account; ``StoredProfile/none`` if none was submitted.
    static func profile(ofAccount account: String) -> Self { Self(text: "profile \(account)") }
}

extension ProfileOfflineStore.Key<UserPage> {
    static func users(_ query: UserQuery) -> Self {
        let status = query.filter.status?.rawValue ?? "any"
        return Self(
            text: "users \(status) \(query.sort.rawValue) \(query.page) \(query.size) "
                + (query.filter.search.map(UserFilter.key) ?? ""))
    }
}

extension ProfileOfflineStore.Key<Person> {
    static func person(_ id: String) -> Self { Self(text: "person \(id)") }
}
