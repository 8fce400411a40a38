internal import AtriumKit

/// The latest requests and their outcomes, the newest last.
package struct NavigationJournal: Sendable {
    package private(set) var records: [Record] = []
    private var nextNumber = 1

    /// The minimum number of records kept.
    static let limit = 1_000

    package struct Record: Codable, Hashable, Sendable {
        /// Counts the requests from 1.
        package let number: Int
        package let request: NavigationRequest
        package let outcome: Status
        /// The link of the entry that was current afterwards; nil for the root.
        package let link: String?
        package var error: String?
    }

    package enum Status: String, Codable, Hashable, Sendable {
        case done
        case redirected
        /// A guard refused, or a screen objected.
        case refused
        case failed
        /// By a newer request, or by its caller.
        case cancelled
    }

    mutating func add(
        _ request: NavigationRequest, _ outcome: Status, at link: String?, error: ErrorCode? = nil
    ) {
        if records.count >= 2 * Self.limit { records.removeFirst(Self.limit) }
        records.append(
            Record(
                number: nextNumber, request: request, outcome: outcome, link: link, error: error?.rawValue))
        nextNumber += 1
    }

    package mutating func clear() { records = [] }
}

package struct ReplayReport: Sendable {
    package internal(set) var count = 0
    /// The requests whose outcome or current entry differs from the record.
    package internal(set) var differences: [Difference] = []

    package struct Difference: Sendable, Hashable {
        package let number: Int
        package let request: String
        package let expected: String
        package let found: String
    }
}

extension Coordinator {
    /// Repeats the requests of a journal from the root, and compares the outcomes.
    ///
    /// - Throws: ``NavigationError`` if a screen objects now; `CancellationError`. Requests before it stay
    ///   performed.
    package func replay(
        _ records: [NavigationJournal.Record], isForced: Bool
    ) async throws -> ReplayReport {
        try await navigate(.root.forced(isForced))
        var report = ReplayReport()
        for record in records {
            try Task.checkCancellation()
            let outcome = await outcome(of: record.request)
            report.count += 1
            guard outcome != record.outcome || currentEntry?.link != record.link else { continue }
            report.differences.append(
                ReplayReport.Difference(
                    number: record.number, request: record.request.description,
                    expected: Self.description(record.outcome, record.link),
                    found: Self.description(outcome, currentEntry?.link)))
        }
        return report
    }

    private func outcome(of request: NavigationRequest) async -> NavigationJournal.Status {
        if request.operation == .reveal { return await outcome(ofRevealing: request) }
        _ = try? await navigate(request)
        return journal.records.last?.outcome ?? .failed
    }

    /// Asks the guards of the current entry again, or resumes its intent.
    ///
    /// The entry is found by its link, as it has another id than in the record.
    private func outcome(ofRevealing request: NavigationRequest) async -> NavigationJournal.Status {
        guard let currentEntry else { return .failed }
        do {
            if currentEntry.intents.last?.request.operation == .reveal {
                return try await resumeIntent() == nil ? .redirected : .done
            }
            guard request.link == nil || request.link == currentEntry.link else { return .failed }
            allowed.remove(currentEntry.id)
            return try await evaluateCurrentGuards() == nil ? .done : .redirected
        } catch {
            return .refused
        }
    }

    private static func description(_ outcome: NavigationJournal.Status, _ link: String?) -> String {
        "\(outcome.rawValue), at \(link ?? "home")"
    }
}
