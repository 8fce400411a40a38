internal import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage
internal import AtriumText
internal import Glibc

/// Ctrl-X Ctrl-E: continues the typed text in the user's own editor, as in other shells.
extension LineEditor {
    /// `$VISUAL`, else `$EDITOR`, else `vi`.
    private static let command = "eval \"${VISUAL:-${EDITOR:-vi}} \\\"\\$1\\\"\""

    /// Opens the line in the editor, and runs the saved text; if the editor fails, nothing changes.
    func openEditor() {
        guard !isInOtherProgram else { return }
        let former = buffer.text
        suspendLine()
        Task {
            let result = await Self.edited(former)
            switch result {
            case .success(let text):
                resumeLine(with: text)
                enter()
                proceed()
            case .failure(let error):
                resumeLine(with: former)
                printAbove(Report.text(ofWarning: error))
            }
        }
    }

    private static func edited(_ text: String) async -> Result<String, ShellError> {
        do throws(any Error) {
            let folder = try ScratchFolder()
            let path = folder.path("line.atrium")
            let file = try AtomicFile(path, replaces: true)
            try file.write(Array((text + "\n").utf8))
            try file.finish()
            if let problem = try await TerminalProgram.run(command, [path], output: HostOutput.standardOutput)
            {
                return .failure(
                    ShellError("editorFailed", "The editor \(problem); the line is as it was."))
            }
            let bytes = try FileContents.read(path)
            guard var line = String(validating: bytes, as: UTF8.self) else {
                return .failure(
                    ShellError("editorFailed", "What was saved is not UTF-8; the line is as it was."))
            }
            while line.hasSuffix("\n") { line.removeLast() }
            return .success(line)
        } catch {
            let explained = ShellError.explain(error)
            return .failure(ShellError("editorFailed", explained.message, hint: explained.hint))
        }
    }
}
