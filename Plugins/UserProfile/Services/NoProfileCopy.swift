import AtriumKit

/// Keeps nothing: the services of environments mock and local can always be asked.
struct NoProfileCopy: ProfileCopyService {
    func keep<Answer>(
        _ answer: Answer, to question: CopiedQuestion<Answer>, of reader: String, at moment: Timestamp
    ) async throws {}

    func answer<Answer>(
        to question: CopiedQuestion<Answer>, of reader: String
    ) async throws -> Stale<Answer>? { nil }

    func forget<Answer>(_ question: CopiedQuestion<Answer>, of reader: String) async throws {}
}
