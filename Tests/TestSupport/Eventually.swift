package import Testing

/// Gives other tasks turns until a condition holds.
///
/// The limit is a number of turns, so the wait depends on no clock. A wait that reaches it fails the test:
///
///     await eventually("the server has two requests") { server.requests.count == 2 }
///
/// `event` is the condition in words, as the sentence of the failure has it. The default number of turns takes
/// seconds, enough for a process that has to start or end. Returns whether the condition held in the end.
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
