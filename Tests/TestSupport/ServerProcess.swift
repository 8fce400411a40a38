import Foundation
import Glibc
import Synchronization

/// A server in its own process.
///
/// A shell between the two stops the server when the shell's standard input ends, which also happens if this
/// process is killed.
final class ServerProcess: Sendable {
    /// The address that it prints.
    let url: String
    private let state: Mutex<State>

    private struct State: Sendable {
        /// The shell that runs the server; nil once both have ended.
        var shell: pid_t?
        let server: pid_t
        /// The standard input of the shell.
        let input: CInt
    }

    /// Quiet at the end: a shell reports on its standard error that the server was killed.
    private static let script = """
        "$@" </dev/null & echo "Server $!"; read -r line; { kill "$!"; wait "$!"; } 2>/dev/null
        """
    /// The time limit for starting, in milliseconds.
    private static let patience: CInt = 30_000

    /// Starts a server and waits until it prints `Listening on URL`.
    init(_ words: [String]) throws {
        let input = try Self.pipe()
        let output = try Self.pipe()
        let shell = try Self.spawn(["sh", "-c", Self.script, "sh"] + words, input.read, output.write)
        close(input.read)
        close(output.write)
        defer { close(output.read) }
        do {
            let text = try Self.read(output.read) {
                $0.contains("Listening on") && $0.contains("Server ") && $0.hasSuffix("\n")
            }
            guard let url = Self.word(behind: "Listening on", in: text),
                let server = Self.word(behind: "Server", in: text).flatMap(pid_t.init)
            else { throw ServerError("The server did not start: \(words.joined(separator: " "))\n\(text)") }
            self.url = url
            state = Mutex(State(shell: shell, server: server, input: input.write))
        } catch {
            close(input.write)
            var status: CInt = 0
            waitpid(shell, &status, 0)
            throw error
        }
    }

    deinit {
        // SIGKILL, to not wait for requests in flight.
        stop(SIGKILL)
    }

    /// Stops the server with a signal, SIGTERM by default, and waits for its end.
    func stop(_ signal: CInt? = nil) {
        state.withLock { state in
            guard let shell = state.shell else { return }
            state.shell = nil
            if let signal { kill(state.server, signal) }
            close(state.input)
            var status: CInt = 0
            while waitpid(shell, &status, 0) < 0, errno == EINTR {}
        }
    }

    // MARK: - Steps

    private static func pipe() throws -> (read: CInt, write: CInt) {
        var ends: [CInt] = [0, 0]
        // Close-on-exec, because an open copy in another child process would keep the server alive.
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw ServerError("No socket pair can be created: \(errno).")
        }
        return (ends[0], ends[1])
    }

    private static func spawn(_ words: [String], _ input: CInt, _ output: CInt) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        // The child must not inherit the tests' descriptors, which would stay open while the server runs.
        for descriptor in CInt(3)..<1_024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Dispatch threads block SIGTERM, and the child would inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let failure = posix_spawnp(&child, words[0], &actions, &attributes, &arguments, environ)
        guard failure == 0 else { throw ServerError("'\(words[0])' can't be started: \(failure).") }
        return child
    }

    /// Reads until `isEnough` accepts the text or the output ends.
    private static func read(_ descriptor: CInt, until isEnough: (String) -> Bool) throws -> String {
        var bytes: [UInt8] = []
        var text = ""
        while !isEnough(text) {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, patience) > 0 else { throw ServerError("The server does not listen.") }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
            text = String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    private static func word(behind start: String, in text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix(start) }
            .map { $0.dropFirst(start.count).trimmingCharacters(in: .whitespaces) }
    }
}
