internal import AtriumKit
internal import AtriumStorage
internal import Dispatch
internal import Glibc

/// A program that uses the terminal until it exits, such as an editor.
package enum TerminalProgram {
    /// Runs a shell command with arguments, `$1` and on, in this process's group.
    ///
    /// - Returns: The failure, if it failed: "ended with status 1".
    /// - Throws: ``ModuleError`` if the shell can't be run.
    package nonisolated(nonsending) static func run(
        _ line: String, _ arguments: [String], output: CInt
    ) async throws -> String? {
        let process: pid_t
        do throws(SystemError) {
            process = try ChildProcess.spawn(
                ["/bin/sh", "-c", line, "sh"] + arguments, [STDIN_FILENO, output, STDERR_FILENO],
                hasOwnGroup: false)
        } catch {
            throw ModuleError(
                "notStarted", "'/bin/sh' can't be run: \(error.reason).")
        }
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "atrium.terminal-program").async {
                continuation.resume(returning: ReadingProgram.wait(for: process).map { "\($0)" })
            }
        }
    }
}
