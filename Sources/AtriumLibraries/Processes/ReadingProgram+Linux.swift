internal import AtriumKit
internal import AtriumStorage
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A shell command that reads the output written to it, as after `|`.
///
/// It stays in this process's group, so that it can use the terminal, and Ctrl-C there reaches it too.
/// Writing happens on a queue, so that a slow reader blocks no one.
package final class ReadingProgram: Sendable {
    private let processID: pid_t
    private let input: CInt
    private let queue = DispatchQueue(label: "atrium.reading-program")
    /// True if it has stopped reading.
    private let isDeaf = Mutex(false)

    /// - Throws: ``ModuleError`` if the shell can't be run.
    package init(_ text: String, output: CInt, errors: CInt) throws {
        let ends: [CInt]
        do throws(SystemError) {
            ends = try ChildProcess.pipe()
            do throws(SystemError) {
                processID = try ChildProcess.spawn(
                    // With a trap, the shell waits for a program that takes Ctrl-C, such as a pager.
                    ["/bin/sh", "-c", "umask \(String(UserMask.value, radix: 8)); trap : INT\n\(text)"],
                    [ends[0], output, errors], hasOwnGroup: false)
            } catch {
                ends.forEach { close($0) }
                throw error
            }
        } catch {
            throw ModuleError("notStarted", "'/bin/sh' can't be run: \(error.reason).")
        }
        input = ends[1]
        close(ends[0])
    }

    package func write(_ bytes: [UInt8]) {
        queue.async { [self] in
            guard !isDeaf.withLock({ $0 }) else { return }
            // It may exit before it has read everything, as 'head' does.
            do { try FileContents.write(bytes, to: input) } catch { isDeaf.withLock { $0 = true } }
        }
    }

    /// Waits until everything is written, and returns whether the program is still reading.
    package nonisolated(nonsending) func drained() async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: !self.isDeaf.withLock { $0 }) }
        }
    }

    /// Closes the input, and waits for the program.
    ///
    /// - Returns: The reason of its end, if it failed.
    package nonisolated(nonsending) func end() async -> ExitReason? {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                close(input)
                continuation.resume(returning: Self.wait(for: processID))
            }
        }
    }

    /// Blocks until a child has exited; returns the reason, if it failed.
    static func wait(for process: pid_t) -> ExitReason? {
        var status: CInt = 0
        var found = waitpid(process, &status, 0)
        while found < 0, errno == EINTR { found = waitpid(process, &status, 0) }
        let reason = found == process ? ExitReason(status: status) : .lost
        return reason.isSuccess ? nil : reason
    }
}
