package import Testing

/// Yields to other tasks until a condition holds.
///
/// The limit is a number of turns, so that the wait depends on no clock. Reaching it fails the test:
///
///     await eventually("the server has two requests") { server.requests.count == 2 }
///
/// `event` describes the condition in the failure message. The default number of turns takes
/// seconds, enough for a process to start or end. Returns whether the condition held in the end.
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
