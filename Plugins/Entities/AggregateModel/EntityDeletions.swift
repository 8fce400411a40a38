import AtriumKit

/// What became of entities that were to be deleted together, in the order in which they were named.
struct EntityDeletions: Sendable {
    /// What became of each.
    private(set) var outcomes: [(id: Int, outcome: Outcome)]
    /// Whether the command was cancelled before all were tried.
    var isCancelled = false

    /// What became of one.
    enum Outcome: Sendable {
        /// The entity as it was.
        case deleted(Entity)
        case failed(any Error)
        /// Sent, and not answered when the command was cancelled; it can't be called back.
        case underWay
        case notTried
    }

    init(_ ids: [Int]) {
        outcomes = ids.map { ($0, .notTried) }
    }

    subscript(place: Int) -> Outcome {
        get { outcomes[place].outcome }
        set { outcomes[place].outcome = newValue }
    }

    /// The entities that were deleted, as they were.
    var deleted: [Entity] {
        outcomes.compactMap { if case .deleted(let entity) = $0.outcome { entity } else { nil } }
    }

    /// What was done, as a sentence.
    ///
    /// - Throws: ``EntityError/notAllDeleted(_:isCancelled:cause:)`` where not all were deleted.
    func summary() throws -> String {
        let deleted = deleted
        guard deleted.count == outcomes.count else {
            throw EntityError.notAllDeleted(
                report, isCancelled: isCancelled, cause: failures.first?.error)
        }
        return deleted.count == 1 ? "Deleted '\(deleted[0].name)'." : "Deleted \(deleted.count) entities."
    }

    private var failures: [(id: Int, error: any Error)] {
        outcomes.compactMap { id, outcome in
            if case .failed(let error) = outcome { (id, error) } else { nil }
        }
    }

    private var report: String {
        let failed = failures.map { "\($0.id) (\(LoadFailure($0.error).message))" }
        let underWay = outcomes.filter { if case .underWay = $0.outcome { true } else { false } }
        let notTried = outcomes.filter { if case .notTried = $0.outcome { true } else { false } }
        let parts = [
            "\(deleted.count) of \(outcomes.count) entities were deleted",
            Self.list("not deleted", failed),
            Self.list("under way", underWay.map { "\($0.id)" }),
            Self.list("not tried", notTried.map { "\($0.id)" }),
        ]
        return parts.compactMap { $0 }.joined(separator: "; ") + "."
    }

    /// How many of each kind are named.
    private static let namedCount = 20

    private static func list(_ label: String, _ items: [String]) -> String? {
        guard !items.isEmpty else { return nil }
        let rest = items.count - namedCount
        return "\(label): " + items.prefix(namedCount).joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }
}
