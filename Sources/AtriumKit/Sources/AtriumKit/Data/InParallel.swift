/// Runs two operations at the same time; the first failure cancels the other.
///
/// With `async let`, a failure of the second would be noticed only after the first has ended.
///
/// ```swift
/// let (user, orders) = try await inParallel({ try await users.user(id) }, { try await orders.orders(of: id) })
/// ```
nonisolated(nonsending) public func inParallel<First: Sendable, Second: Sendable>(
    _ first: @escaping @Sendable () async throws -> First,
    _ second: @escaping @Sendable () async throws -> Second
) async throws -> (First, Second) {
    try await withThrowingTaskGroup(of: (First?, Second?).self) { group in
        group.addTask { (try await first(), nil) }
        group.addTask { (nil, try await second()) }
        var values: (first: First?, second: Second?)
        for try await half in group { values = (half.0 ?? values.first, half.1 ?? values.second) }
        guard let first = values.first, let second = values.second else { throw CancellationError() }
        return (first, second)
    }
}
