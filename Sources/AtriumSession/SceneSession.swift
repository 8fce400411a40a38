package import AtriumLanguage
package import AtriumText

/// A scene as its front end uses it: in the same process, or in a host over a socket.
@MainActor
package protocol SceneSession: AnyObject, Sendable {
    var frontEnd: (any FrontEnd)? { get set }
    var prompt: String { get }
    /// The host's reason for ending the session; nil while it has not ended.
    var end: ShellError? { get }

    /// Called before a user's first line; `greet` shows the lines that the user reads first.
    func begin(_ greet: (String) throws -> Void) async throws
    /// Runs a line.
    ///
    /// - Throws: An error if no further line can be run, or its outcome is not known.
    func run(_ line: InputLine, keepsHistory: Bool) async throws -> LineResult
    /// Leaves the open question, as Ctrl-C at the prompt does; nil if there is none.
    func leaveQuestion() async throws -> LineResult?
    /// Cancels the running line; callable from any thread.
    nonisolated func cancel()
    /// Returns from the running line without cancelling it; callable from any thread.
    nonisolated func abandon()
    /// Cancels the running line, because its output can't be written.
    func cancel(because error: ShellError)
    /// Saves the state and writes the output of the lines so far.
    func settle() throws
    /// The candidates for the word at the cursor, in a second at the latest.
    func completions(of line: String, at cursor: Int) async -> CompletionList
    func resize(to size: TerminalSize, promptRows: Int, redraws: Bool)
    /// Ends the session: a script's background commands finish first.
    ///
    /// - Returns: The status of what was left undone.
    func close() async throws -> ExitStatus
}

package struct LineResult: Sendable {
    package var status = ExitStatus.done
    package var ends = false
    /// True if it ended with `exit N`, whose status overrides earlier failures.
    package var exits = false
    /// True if an action of the line waits for its screen: a later line may let it continue.
    package var isDeferred = false
    /// True if the host has printed the error of output that can't be written.
    package var hasReportedUnwritten = false

    package init(
        status: ExitStatus = .done, ends: Bool = false, exits: Bool = false, isDeferred: Bool = false,
        hasReportedUnwritten: Bool = false
    ) {
        (self.status, self.ends) = (status, ends)
        (self.exits, self.isDeferred, self.hasReportedUnwritten) = (exits, isDeferred, hasReportedUnwritten)
    }
}
