internal import AtriumKit

/// What was asked of the stack and what came of it, the newest last; of long sessions the end.
package struct NavigationJournal: Sendable {
    package private(set) var records: [Record] = []
    private var nextNumber = 1

    /// The most records that are kept.
    static let limit = 1_000

    /// A request and what came of it.
    package struct Record: Codable, Hashable, Sendable {
        /// Counts the requests from 1.
        package let number: Int
        package let request: NavigationRequest
        /// How it ended.
        package let outcome: Outcome
        /// The link of the place that was current then; nil for the root.
        package let link: String?
        /// The code of the error, where there was one.
        package var error: String?
    }

    /// How a request ended.
    package enum Outcome: String, Codable, Hashable, Sendable {
        case done
        /// A guard sent somebody elsewhere.
        case redirected
        /// A guard refused, or a screen objected.
        case refused
        case failed
        /// A newer navigation took its place, or it was given up.
        case cancelled
    }

    mutating func add(
        _ request: NavigationRequest, _ outcome: Outcome, at link: String?, error: ErrorCode? = nil
    ) {
        if records.count >= 2 * Self.limit { records.removeFirst(Self.limit) }
        records.append(
            Record(
                number: nextNumber, request: request, outcome: outcome, link: link, error: error?.rawValue))
        nextNumber += 1
    }

    package mutating func clear() {
        records = []
    }
}
