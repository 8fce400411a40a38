import AtriumKit

/// Stores the profile of each account.
protocol UserProfileService: Sendable {
    /// The profile of an account; nil if none was submitted yet.
    func profile(ofAccount account: String) async throws -> StoredProfile?

    /// The profiles of several accounts.
    ///
    /// - Returns: The profile or the failure of each, in the order of `accounts`.
    /// - Throws: `CancellationError` if the calling task is cancelled; nothing else.
    func profiles(ofAccounts accounts: [String]) async throws -> [Result<StoredProfile?, any Error>]

    /// Replaces the profile of an account, if `version` is the stored one.
    func submit(
        _ profile: Profile, ofAccount account: String, replacing version: ProfileVersion
    ) async throws -> SubmissionReceipt
}

extension UserProfileService {
    /// Asks for each, several at a time.
    func profiles(ofAccounts accounts: [String]) async throws -> [Result<StoredProfile?, any Error>] {
        try await Batch.outcomes(of: accounts, width: Batch.width) { try await profile(ofAccount: $0) }
    }
}

/// Work on many elements, several at a time.
enum Batch {
    static let width = 8

    /// Works on each element, `width` at a time; a failure does not affect the others.
    ///
    /// - Returns: The result of each element, in their order.
    /// - Throws: `CancellationError` if the calling task is cancelled; nothing else.
    static func outcomes<Element: Sendable, Value: Sendable>(
        of elements: [Element], width: Int, work: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Result<Value, any Error>] {
        let outcomes = await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            var outcomes: [Result<Value, any Error>?] = Array(repeating: nil, count: elements.count)
            for (index, element) in elements.enumerated() {
                if index >= max(1, width), let (ended, outcome) = await group.next() {
                    outcomes[ended] = outcome
                }
                group.addTask { (index, await outcome(of: element, work)) }
            }
            for await (ended, outcome) in group { outcomes[ended] = outcome }
            return outcomes
        }
        try Task.checkCancellation()
        return outcomes.compactMap { $0 }
    }

    private static func outcome<Element: Sendable, Value: Sendable>(
        of element: Element, _ work: @Sendable (Element) async throws -> Value
    ) async -> Result<Value, any Error> {
        do {
            try Task.checkCancellation()
            return .success(try await work(element))
        } catch {
            return .failure(error)
        }
    }
}
