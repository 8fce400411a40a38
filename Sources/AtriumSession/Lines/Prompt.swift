package import AtriumCommands
package import AtriumKit
internal import AtriumLanguage
internal import AtriumNavigation
internal import AtriumText

/// Runs lines as a script does, and returns their output: a prompt without a terminal.
@MainActor
package final class Prompt {
    private let scene: Scene
    private let interpreter: Interpreter
    /// Output apart from results: announcements, and objects that outlived their screens.
    package private(set) var notes: [String] = []

    package init(_ scene: Scene) {
        self.scene = scene
        interpreter = Interpreter(scene: scene)
        scene.announce = { [weak self] line in self?.notes.append(line) }
        scene.coordinator.reportError = { [weak self] error in
            self?.notes.append(ShellError.explain(error).message)
        }
    }

    /// Runs the commands of a line, up to the first that fails.
    ///
    /// - Returns: The output of the last one.
    /// - Throws: The error that the shell would print, with a code, a message and a hint.
    package func run(_ line: String) async throws -> Output {
        var output = Reply.Output()
        var deferred: (any ExplainedError)?
        for command in try Lexer.commands(in: line) {
            guard command.destination == nil, !command.isInBackground else {
                throw ShellError(
                    .invalidArgument, "Files, programs and the background are for the shell's own lines.",
                    hint: "Leave out '>', '|' and '&'.")
            }
            let reply = await interpreter.run(command)
            deferred = reply.deferred ?? deferred
            notes += await scene.didRun().map(\.message)
            switch reply.outcome {
            case .done(let done): output = done
            case .failed(let error): throw error
            }
            if let left = interpreter.takeNotPerformed().first { throw left.error.following(reply.changes) }
        }
        if let deferred, interpreter.deferred != nil { throw deferred }
        return Output(output: output)
    }

    /// The completions at the end of an unfinished line.
    package func completions(of line: String) -> [String] {
        Completer(interpreter: interpreter).completions(of: line, at: line.utf8.count).candidates.map(\.text)
    }

    package struct Output: Sendable {
        fileprivate let output: Reply.Output

        package var message: String? { output.message }
        package var content: Content? { output.content }
        /// The result for a line of `--json`.
        package var json: JSONObject { output.json }

        /// The text on a terminal of `width` columns, without colours.
        package func text(width: Int) -> String {
            output.text(
                TextRenderer(width: width, style: TextStyle(isColored: false)), wrappingTo: width)
        }
    }
}
