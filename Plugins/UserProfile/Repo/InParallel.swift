/// The values of two pieces of work that are done at the same time; the first failure cancels the other one.
///
/// Two `async let` are awaited one after the other, so that a failure of the second would be noticed only when
/// the first has ended. Here whichever fails first counts.
///
/// - Throws: The first failure, once both have ended.
func inParallel<First: Sendable, Second: Sendable>(
    _ first: @escaping @Sendable () async throws -> First,
    _ second: @escaping @Sendable () async throws -> Second
) async throws -> (First, Second) {
    try await withThrowingTaskGroup(of: Half<First, Second>.self) { group in
        group.addTask { .first(try await first()) }
        group.addTask { .second(try await second()) }
        var values: (first: First?, second: Second?)
        for try await half in group {
            switch half {
            case .first(let value): values.first = value
            case .second(let value): values.second = value
            }
        }
        // Both are there where neither failed.
        guard let first = values.first, let second = values.second else { throw CancellationError() }
        return (first, second)
    }
}

/// The value of one of two pieces of work.
private enum Half<First: Sendable, Second: Sendable>: Sendable {
    case first(First)
    case second(Second)
}
