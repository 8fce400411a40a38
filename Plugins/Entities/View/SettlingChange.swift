import AtriumKit

/// Makes a change on behalf of a command, and says what becomes of it where the command is cancelled meanwhile.
///
/// - Throws: ``EntityError/goesOn`` in place of a cancellation; what the change throws else.
@MainActor
func settling(_ change: () async throws -> ActionResult) async throws -> ActionResult {
    do {
        return try await change()
    } catch is CancellationError {
        throw EntityError.goesOn
    }
}
