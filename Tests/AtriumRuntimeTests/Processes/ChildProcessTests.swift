@_spi(Host) import AtriumKit
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import AtriumRuntime

@Suite("Child processes")
struct ChildProcessTests {
    // MARK: - Starting

    @Test(
        "The exit status or signal is reported",
        arguments: [
            ("exit 0", ExitReason.exited(status: 0)), ("exit 7", .exited(status: 7)),
            ("kill -9 $$", .signaled(signal: SIGKILL)),
        ])
    func exitReason(_ script: String, _ reason: ExitReason) async throws {
        let child = try ChildProcess(shell(script))

        #expect(await child.wait() == reason)
        #expect(await child.wait() == reason)
        #expect(!child.wasEnded)
    }

    @Test("Without process descriptors, a thread waits for the end")
    func withoutDescriptors() async throws {
        let child = try ChildProcess(shell("exit 7"), watchedBy: { _ in -1 }, schedule: { _, _ in })

        #expect(await child.wait() == .exited(status: 7))
    }

    @Test("Arguments are passed unchanged")
    func arguments() async throws {
        let lines = try await output(of: Program("/usr/bin/printf", ["%s\n", "a b", "", "ü'\"$HOME"]))

        #expect(lines == ["a b", "", "ü'\"$HOME"])
    }

    @Test("A missing program is an error")
    func missing() {
        let error = #expect(throws: ModuleError.self) { try ChildProcess(Program("/missing/tool")) }

        #expect(error?.code == .notStarted)
        #expect(error?.message == "'/missing/tool' can't be run: No such file or directory.")
    }

    @Test("A child leads its own process group, with no signal ignored or blocked")
    func group() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_IGN)
            signal(SIGCHLD, SIG_IGN)
            var program = Program("/bin/cat", ["/proc/self/stat", "/proc/self/status"])
            program.output = .pipe
            let child = try ChildProcess(program)
            let lines = await all(child.output!.lines)

            #expect(lines[0].split(separator: " ")[4] == "\(child.processID)")
            for field in ["SigIgn:", "SigBlk:"] {
                let line = try #require(lines.first { $0.hasPrefix(field) })
                // The C library reserves signals 32 and 33.
                #expect(UInt64(line.suffix(16), radix: 16)! & 0x7FFF_FFFF == 0)
            }
            #expect(await child.wait() == .exited(status: 0))
        }
    }

    @Test("A child inherits its standard descriptors and no others")
    func descriptors() async throws {
        let leaking = open("/dev/null", O_RDONLY)
        defer { close(leaking) }
        var program = Program("/bin/ls", ["/proc/self/fd"])
        program.output = .pipe

        #expect(try await output(of: program) == ["0", "1", "2", "3"])
    }

    @Test("Pipes whose descriptors have the numbers 0 to 2 are connected correctly")
    func lowDescriptors() async throws {
        await #expect(processExitsWith: .success) {
            var program = shell("echo output; echo errors >&2")
            program.output = .pipe
            program.errors = .pipe
            // The pipes get the numbers of the standard descriptors.
            for number in 0..<CInt(3) { close(number) }

            let child = try ChildProcess(program)

            #expect(await all(child.output!.lines) == ["output"])
            #expect(await all(child.errors!.lines) == ["errors"])
        }
    }

    // MARK: - Output

    @Test("More output than a pipe and the buffer hold is read completely")
    func pipes() async throws {
        var program = Program("/usr/bin/seq", ["400000"])
        program.output = .pipe
        let child = try ChildProcess(program)
        let output = try #require(child.output)

        await eventually("the buffer is full") { output.isPaused }
        let lines = await all(output.lines)

        #expect(lines == (1...400_000).map(String.init))
        #expect(await child.wait() == .exited(status: 0))
    }

    @Test("Output and errors are read separately, or together in order")
    func errors() async throws {
        var program = shell("echo 1; echo 2 >&2; echo 3; echo 4 >&2")
        program.output = .pipe
        program.errors = .pipe
        let child = try ChildProcess(program)

        #expect(await all(child.output!.lines) == ["1", "3"])
        #expect(await all(child.errors!.lines) == ["2", "4"])

        program.errors = .sameAsOutput

        #expect(try await output(of: program) == ["1", "2", "3", "4"])
    }

    @Test("The output ends with the program, even if a process that it left behind holds the pipe open")
    func leftBehind() async throws {
        let folder = TemporaryFolder()
        let fifo = folder.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        var program = shell(
            "setsid sh -c 'echo $$; echo >\(fifo); exec sleep 1000' & read line <\(fifo); echo end")
        program.output = .pipe
        let child = try ChildProcess(program)
        var lines = child.output!.lines.makeAsyncIterator()
        let process = try #require(await lines.next().flatMap { pid_t($0) })
        defer { kill(process, SIGKILL) }

        #expect(await lines.next() == "end")
        #expect(await lines.next() == nil)
        #expect(await child.wait() == .exited(status: 0))
        #expect(kill(process, 0) == 0)
    }

    @Test("Cancelling the reader closes the pipe")
    func cancelledReader() async throws {
        var program = Program("/usr/bin/yes")
        program.output = .pipe
        let child = try ChildProcess(program)
        let output = child.output!

        let reader = Task { for await _ in output.lines {} }
        reader.cancel()
        await reader.value

        #expect(await child.wait() == .signaled(signal: SIGPIPE))
    }

    // MARK: - Ending

    @Test("Ending a child ends its whole process group")
    func ending() async throws {
        let (child, process) = try await start("sleep 1000 & echo $!; wait")

        child.end()

        #expect(await child.wait() == .signaled(signal: SIGTERM))
        #expect(child.wasEnded)
        await eventually("the process is gone") { isGone(process) }
    }

    @Test("Processes that a program leaves in its group are killed when it ends")
    func leftInGroup() async throws {
        let (child, process) = try await start("sleep 1000 & echo $!; exit 5")

        #expect(await child.wait() == .exited(status: 5))
        await eventually("the process is gone") { isGone(process) }
    }

    @Test("A program that ignores SIGTERM is killed after the grace period")
    func grace() async throws {
        let clock = TestTimer()
        var program = shell("trap '' TERM; echo ready; while :; do sleep 1000; done")
        program.output = .pipe
        let child = try ChildProcess(program, watchedBy: byThread, schedule: clock.schedule)
        var lines = child.output!.lines.makeAsyncIterator()
        #expect(await lines.next() == "ready")

        child.end(grace: .seconds(3))

        #expect(clock.times == [.seconds(3)])
        clock.fire()
        #expect(await child.wait() == .signaled(signal: SIGKILL))
    }

    @Test("A time limit ends a child, and does nothing if the child ends in time")
    func limit() async throws {
        let clock = TestTimer()
        let slow = try ChildProcess(
            Program("/bin/sleep", ["1000"]), watchedBy: byThread, schedule: clock.schedule)
        slow.end(after: .seconds(10))
        #expect(clock.times == [.seconds(10)])
        clock.fire()
        let quick = try ChildProcess(shell("exit 4"), watchedBy: byThread, schedule: clock.schedule)
        quick.end(after: .seconds(10))
        #expect(await quick.wait() == .exited(status: 4))
        clock.fire()

        #expect(await slow.wait() == .signaled(signal: SIGTERM))
        #expect(slow.wasEnded)
        #expect(!quick.wasEnded)
    }

    @Test("Cancelling the waiting task ends the child, and the wait returns after its end")
    func cancellation() async throws {
        let child = try await ChildProcess.start(Program("/bin/sleep", ["1000"]))
        let waiting = Task { await child.wait() }

        waiting.cancel()

        #expect(await waiting.value == .signaled(signal: SIGTERM))
    }

    @Test("No zombie and no descriptor is left, whether the end was awaited or not")
    func nothingLeft() async throws {
        await #expect(processExitsWith: .success) {
            var program = shell("echo text; echo errors >&2")
            program.output = .pipe
            program.errors = .pipe
            func run() async throws {
                let child = try ChildProcess(program)
                #expect(await all(child.output!.lines) == ["text"])
                #expect(await all(child.errors!.lines) == ["errors"])
                #expect(await child.wait() == .exited(status: 0))
                var endless = Program("/bin/sleep", ["1000"])
                endless.output = .pipe
                let limited = try ChildProcess(endless)
                limited.end(grace: .zero)
                #expect(await limited.wait() == .signaled(signal: SIGKILL))
                let dropped = try ChildProcess(shell("exit 1")).processID
                // kill() succeeds for a zombie and fails for a process that was reaped.
                await eventually("the process was reaped") { kill(dropped, 0) != 0 }
            }
            // Dispatch opens its own descriptors once.
            try await run()
            let before = openDescriptors()
            for _ in 0..<20 { try await run() }

            // Dispatch closes the descriptors of unawaited children some time later.
            await eventually("the descriptors are closed") { openDescriptors() <= before }
            #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
        }
    }
}

// MARK: - Support

private func shell(_ script: String) -> Program {
    Program("/bin/sh", ["-c", script])
}

private func all<Element: Sendable>(_ stream: AsyncStream<Element>) async -> [Element] {
    await stream.reduce(into: []) { $0.append($1) }
}

private func output(of program: Program) async throws -> [String] {
    var program = program
    program.output = .pipe
    let child = try ChildProcess(program)
    let lines = await all(child.output!.lines)
    #expect(await child.wait() == .exited(status: 0))
    return lines
}

/// Reports that there is no process descriptor, so that a thread waits.
private func byThread(_ process: pid_t) -> CInt { -1 }

/// Starts a script whose first line of output is a process id.
private func start(_ script: String) async throws -> (ChildProcess, pid_t) {
    var program = shell(script)
    program.output = .pipe
    let child = try ChildProcess(program)
    var lines = child.output!.lines.makeAsyncIterator()
    return (child, try #require(await lines.next().flatMap { pid_t($0) }))
}

/// Whether a process has ended, even if it was not reaped yet.
private func isGone(_ process: pid_t) -> Bool {
    let state = contents("/proc/\(process)/stat")
    return state.isEmpty || String(decoding: state, as: UTF8.self).contains(") Z ")
}

private func openDescriptors() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
}

/// A timer that fires when the test says so.
private final class TestTimer: Sendable {
    private let actions = Mutex<[(Duration, @Sendable () -> Void)]>([])

    var times: [Duration] { actions.withLock { $0.map(\.0) } }

    var schedule: ChildProcess.Schedule {
        { time, action in self.actions.withLock { $0.append((time, action)) } }
    }

    func fire() {
        let due = actions.withLock { actions in
            defer { actions = [] }
            return actions
        }
        for (_, action) in due { action() }
    }
}
