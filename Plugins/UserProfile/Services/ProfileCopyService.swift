import AtriumKit

/// The last known copy of what remote services answered, for when they can't be asked.
///
/// What was answered to one account is known to nobody else.
protocol ProfileCopyService: Sendable {
    /// Keeps what was answered to a question of an account, in place of an earlier answer.
    func keep<Answer>(
        _ answer: Answer, to question: CopiedQuestion<Answer>, of reader: String, at moment: Timestamp
    ) async throws

    /// The last answer to a question of an account, and from when it is; nil where there is none.
    func answer<Answer>(
        to question: CopiedQuestion<Answer>, of reader: String
    ) async throws -> Stale<Answer>?

    /// Drops the answer to a question that has none any more.
    func forget<Answer>(_ question: CopiedQuestion<Answer>, of reader: String) async throws
}

/// What a remote service is asked, and what it answers.
struct CopiedQuestion<Answer: Codable & Sendable>: Sendable {
    /// What the answer is kept under.
    let key: String
}

extension CopiedQuestion<StoredProfile> {
    /// The profile of an account; ``StoredProfile/none`` where none was submitted.
    static func profile(ofAccount account: String) -> Self { Self(key: "profile \(account)") }
}

extension CopiedQuestion<UserPage> {
    /// A page of the directory.
    static func users(_ query: UserQuery) -> Self {
        let status = query.filter.status?.rawValue ?? "any"
        return Self(
            key: "users \(status) \(query.sort.rawValue) \(query.page) \(query.size) "
                + (query.filter.search.map(UserFilter.key) ?? ""))
    }
}

extension CopiedQuestion<Person> {
    static func person(_ id: String) -> Self { Self(key: "person \(id)") }
}
