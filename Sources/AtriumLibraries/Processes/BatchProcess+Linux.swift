internal import AtriumKit
internal import AtriumStorage
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A program whose output and errors are collected together, with all of its background processes.
///
/// It has empty input, and this process's environment variables and working folder. The programs of its group
/// keep running after it has exited, until ``end(grace:)``, which reaps it: its number is not reused before.
package final class BatchProcess: Sendable {
    private let processID: pid_t
    private let state = Mutex(State())
    /// Resolved once the program has exited and its output is closed.
    private let finish = Promise<Void>()

    private struct State {
        var output: [UInt8] = []
        var status: Int32?
        var isClosed = false
        var isReaped = false
    }

    /// The limit of collected output, in bytes.
    package static let limit = 16 << 20
    /// The processes that may have background programs.
    private static let all = Mutex<[pid_t]>([])

    /// - Throws: ``ModuleError`` if it can't be run.
    package init(_ words: [String]) throws {
        let ends: [CInt]
        do throws(SystemError) {
            ends = try ChildProcess.pipe()
            do throws(SystemError) {
                processID = try ChildProcess.spawn(words, [nil, ends[1], ends[1]])
            } catch {
                ends.forEach { close($0) }
                throw error
            }
        } catch {
            throw ModuleError("notStarted", "A program can't be run: \(error.reason).")
        }
        close(ends[1])
        Self.all.withLock { $0.append(processID) }
        CleanUp.note(processID, begins: true)
        DispatchQueue(label: "atrium.batch.output").async { self.read(ends[0]) }
        DispatchQueue(label: "atrium.batch").async { self.waitOnThread() }
    }

    /// Its exit code, or 128 + N if signal N ended it; nil while it is running.
    package var status: Int32? { state.withLock { $0.status } }

    /// Its output, up to ``limit``.
    package var output: [UInt8] { state.withLock { $0.output } }

    /// Waits until it has exited and nothing can print any more.
    ///
    /// - Returns: False if that took longer than `limit`.
    /// - Throws: `CancellationError` if the calling task is cancelled.
    package func finish(within limit: Duration) async throws -> Bool {
        let first = Promise<Bool>()
        let timer = Task {
            try await Task.sleep(for: limit)
            first.settle(.success(false))
        }
        let watch = Task { [finish] in
            try await finish.value()
            first.settle(.success(true))
        }
        defer {
            timer.cancel()
            watch.cancel()
        }
        return try await first.value()
    }

    /// Ends the program and all of its group: SIGTERM, then SIGKILL after the grace period.
    package func end(grace: Duration = .zero) async {
        if grace > .zero, status == nil {
            kill(processID, SIGTERM)
            let end = ContinuousClock.now + grace
            while status == nil, .now < end {
                // Wait even if the caller is cancelled: the program has to end.
                usleep(2_000)
                await Task.yield()
            }
        }
        kill(-processID, SIGKILL)
        var result: CInt = 0
        let isFirst = state.withLock { state in
            defer { state.isReaped = true }
            return !state.isReaped
        }
        guard isFirst else { return }
        CleanUp.note(processID, begins: false)
        while waitpid(processID, &result, 0) < 0, errno == EINTR {}
        Self.all.withLock { $0.removeAll { $0 == processID } }
    }

    /// Kills all of them at once, before this process exits.
    package static func killAll() {
        for process in all.withLock({ $0 }) { kill(-process, SIGKILL) }
    }

    private func read(_ descriptor: CInt) {
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            state.withLock { state in
                let room = Self.limit - state.output.count
                state.output += bytes[..<min(count, room)]
            }
        }
        close(descriptor)
        settle { $0.isClosed = true }
    }

    private func waitOnThread() {
        var information = siginfo_t()
        // Not reaped: the number must not be reused while its group may have programs.
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        let number = information._sifields._sigchld.si_status
        let status = information.si_code == CInt(CLD_EXITED) ? number : 128 + number
        settle { $0.status = status }
    }

    private func settle(_ change: (inout State) -> Void) {
        let isDone = state.withLock { state in
            change(&state)
            return state.isClosed && state.status != nil
        }
        if isDone { finish.settle(.success(())) }
    }
}
