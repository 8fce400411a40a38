@_spi(Host) import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

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
        let child = try shell(script)

        #expect(await child.wait() == reason)
        #expect(await child.wait() == reason)
    }

    @Test("Arguments are passed unchanged")
    func arguments() async throws {
        let lines = try await lines(
            of: ChildProcess("/usr/bin/printf", ["%s\n", "a b", "", "ü'\"$HOME"], .output))

        #expect(lines == ["a b", "", "ü'\"$HOME"])
    }

    @Test("A missing program is an error")
    func missing() {
        let error = #expect(throws: ModuleError.self) { try ChildProcess("/missing/tool") }

        #expect(error?.code == "notStarted")
        #expect(error?.message == "'/missing/tool' can't be run: No such file or directory.")
    }

    @Test("A child leads its own process group, with no signal ignored or blocked")
    func group() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_IGN)
            signal(SIGCHLD, SIG_IGN)
            let child = try ChildProcess("/bin/cat", ["/proc/self/stat", "/proc/self/status"], .output)
            let lines = await all(child.output!)

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

        let child = try ChildProcess("/bin/ls", ["/proc/self/fd"], .output)

        #expect(try await lines(of: child) == ["0", "1", "2", "3"])
    }

    @Test("Pipes whose descriptors have the numbers 0 to 2 are connected correctly")
    func lowDescriptors() async throws {
        await #expect(processExitsWith: .success) {
            // The pipes get the numbers of the standard descriptors.
            for number in 0..<CInt(3) { close(number) }

            let child = try shell("echo output; echo errors >&2", .separate)

            #expect(await all(child.output!) == ["output"])
            #expect(await all(child.errors!) == ["errors"])
        }
    }

    // MARK: - Output

    @Test("More lines than a pipe holds come through it")
    func pipes() async throws {
        let child = try ChildProcess("/usr/bin/seq", ["40000"], .output)

        #expect(try await lines(of: child) == (1...40_000).map(String.init))
    }

    @Test("Lines lose their ends; what follows the last end is a line")
    func lineEnds() async throws {
        let child = try shell(#"printf 'one\n\ntwö\r\nrest'"#, .output)

        #expect(try await lines(of: child) == ["one", "", "twö", "rest"])
    }

    @Test("A line that does not end comes in parts")
    func endless() async throws {
        let child = try shell("head -c 70000 /dev/zero | tr '\\0' a", .output)

        let parts = try await lines(of: child)

        #expect(parts.map(\.utf8.count) == [65_535, 4_465])
    }

    @Test("Output and errors are separate, or joined in their order, or discarded")
    func errors() async throws {
        let script = "echo 1; echo 2 >&2; echo 3; echo 4 >&2"
        let child = try shell(script, .separate)

        #expect(await all(child.output!) == ["1", "3"])
        #expect(await all(child.errors!) == ["2", "4"])
        #expect(try await lines(of: shell(script, .joined)) == ["1", "2", "3", "4"])
        #expect(try await lines(of: shell(script, .output)) == ["1", "3"])
    }

    @Test("The output ends with the program, even if a process that it left behind holds the pipe open")
    func leftBehind() async throws {
        let folder = TemporaryFolder()
        let fifo = folder.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let child = try shell(
            "setsid sh -c 'echo $$; echo >\(fifo); exec sleep 1000' & read line <\(fifo); echo end", .output)
        let lines = child.output!.makeAsyncIterator()
        let process = try #require(await lines.next().flatMap { pid_t($0) })
        defer { kill(process, SIGKILL) }

        #expect(await lines.next() == "end")
        #expect(await lines.next() == nil)
        #expect(await child.wait() == .exited(status: 0))
        #expect(kill(process, 0) == 0)
    }

    @Test("Cancelling the reader closes the pipe")
    func cancelledReader() async throws {
        let child = try ChildProcess("/usr/bin/yes", [], .output)

        let reader = Task { for await _ in child.output! {} }
        reader.cancel()
        await reader.value

        #expect(await !child.wait().isSuccess)
    }

    // MARK: - Ending

    @Test("Ending a child ends its whole process group")
    func ending() async throws {
        let (child, process) = try await start("sleep 1000 & echo $!; wait")

        child.end()

        #expect(await child.wait() == .signaled(signal: SIGTERM))
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
        let child = try shell("trap '' TERM; echo ready; while :; do sleep 1000; done", .output)
        let lines = child.output!.makeAsyncIterator()
        #expect(await lines.next() == "ready")

        child.end(grace: 1)

        #expect(await child.wait() == .signaled(signal: SIGKILL))
    }

    @Test("Cancelling the waiting task ends it, and the wait returns when it has ended")
    func cancellation() async throws {
        let child = try ChildProcess("/bin/sleep", ["1000"])
        let waiting = Task { await child.wait() }

        waiting.cancel()

        #expect(await waiting.value == .signaled(signal: SIGTERM))
    }

    @Test("No zombie and no descriptor is left, whether the end was awaited or not")
    func nothingLeft() async throws {
        await #expect(processExitsWith: .success) {
            func run() async throws {
                let child = try shell("echo text; echo errors >&2", .separate)
                #expect(await all(child.output!) == ["text"])
                #expect(await all(child.errors!) == ["errors"])
                #expect(await child.wait() == .exited(status: 0))
                let endless = try ChildProcess("/bin/sleep", ["1000"], .output)
                endless.end(grace: 0)
                #expect(await endless.wait() == .signaled(signal: SIGKILL))
                let dropped = try shell("exit 1").processID
                // A zombie answers to this; one that was waited for doesn't.
                await eventually("the process was reaped") { kill(dropped, 0) != 0 }
            }
            // Dispatch opens its own descriptors once.
            try await run()
            let before = openDescriptors()
            for _ in 0..<20 { try await run() }

            // A thread closes them some time later.
            await eventually("the descriptors are closed") { openDescriptors() <= before }
            #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
        }
    }
}

// MARK: - Support

private func shell(_ script: String, _ output: ChildProcess.Output = .nothing) throws -> ChildProcess {
    try ChildProcess("/bin/sh", ["-c", script], output)
}

private func all(_ lines: OutputLines) async -> [String] {
    await lines.reduce(into: []) { $0.append($1) }
}

private func lines(of child: ChildProcess) async throws -> [String] {
    let lines = await all(child.output!)
    #expect(await child.wait() == .exited(status: 0))
    return lines
}

/// Starts a script that first prints the number of a process.
private func start(_ script: String) async throws -> (ChildProcess, pid_t) {
    let child = try shell(script, .output)
    let lines = child.output!.makeAsyncIterator()
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
