package import Testing

/// Gives other tasks turns until a condition holds.
///
/// The limit is a number of turns, so the wait depends on no clock. A wait that reaches it fails the test:
///
///     await eventually("the server has two requests") { server.requests.count == 2 }
///
/// - Parameters:
///   - event: The condition in words, as the sentence of a failure has it.
///   - turns: How often other tasks get a turn. The default takes seconds, enough for a process that
///     has to start or end.
/// - Returns: Whether the condition held in the end.
@discardableResult
package func eventually(
    _ event: String, turns: Int = 2_000_000, isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async rethrows -> Bool {
    for _ in 0..<turns {
        if try await condition() { return true }
        await Task.yield()
    }
    Issue.record("Not reached in \(turns) turns: \(event).", sourceLocation: sourceLocation)
    return false
}
