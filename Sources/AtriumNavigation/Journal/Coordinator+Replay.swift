internal import AtriumKit

/// What came of replaying a journal.
package struct ReplayReport: Sendable {
    /// How many requests were asked again.
    package internal(set) var count = 0
    /// Those that ended in another way, or at another place, than is recorded.
    package internal(set) var differences: [Difference] = []

    /// A request that ended differently.
    package struct Difference: Sendable, Hashable {
        package let number: Int
        package let request: String
        package let expected: String
        package let found: String
    }
}

extension Coordinator {
    /// Asks of the stack what a journal lists, from the root, and compares what comes of it.
    ///
    /// - Parameters:
    ///   - records: The journal.
    ///   - isForced: Whether what is on the stack now is left also where it objects.
    /// - Returns: How many requests were asked, and which ended differently.
    /// - Throws: ``NavigationError`` where a place objects to being left, `CancellationError` where it was given
    ///   up; what came before is done then.
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
                    expected: Self.words(record.outcome, record.link),
                    found: Self.words(outcome, currentEntry?.link)))
        }
        return report
    }

    private func outcome(of request: NavigationRequest) async -> NavigationJournal.Outcome {
        if request.operation == .reveal { return await outcome(ofRevealing: request) }
        _ = try? await navigate(request)
        return journal.records.last?.outcome ?? .failed
    }

    /// Asks about the current place again, as when it came back; from a redirect, goes on to it.
    ///
    /// The entry has another id than when it was recorded, so it is known by its link.
    private func outcome(ofRevealing request: NavigationRequest) async -> NavigationJournal.Outcome {
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

    private static func words(_ outcome: NavigationJournal.Outcome, _ link: String?) -> String {
        "\(outcome.rawValue), at \(link ?? "home")"
    }

    package func clearJournal() {
        journal.clear()
    }
}
