import Foundation
import Glibc
import Synchronization

/// A server as a process of its own.
///
/// A shell between the two ends the server when its standard input ends, which also happens when this process
/// is killed.
final class ServerProcess: Sendable {
    /// Where it says that it listens.
    let url: String
    private let state: Mutex<State>

    private struct State: Sendable {
        /// The shell, and the server below it; nil once they have ended.
        var shell: pid_t?
        let server: pid_t
        /// What the shell reads from.
        let input: CInt
    }

    private static let script = """
        "$@" </dev/null & echo "Server $!"; read -r line; kill "$!" 2>/dev/null; wait "$!"
        """
    /// How long a server may take to listen, in milliseconds.
    private static let patience: CInt = 30_000

    /// Starts a server, and waits until it says `Listening on URL`.
    init(_ words: [String]) throws {
        let input = try Self.pipe()
        let output = try Self.pipe()
        let shell = try Self.spawn(["sh", "-c", Self.script, "sh"] + words, input.read, output.write)
        close(input.read)
        close(output.write)
        defer { close(output.read) }
        do {
            let text = try Self.read(output.read) { $0.contains("Listening on") && $0.hasSuffix("\n") }
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
        // Without waiting for requests that it still answers.
        stop(SIGKILL)
    }

    /// Ends the server by a signal, SIGTERM unless another is given, and waits for its end.
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
        // Closed in other children of these tests, which would keep the server alive.
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw ServerError("There is no pipe: \(errno).")
        }
        return (ends[0], ends[1])
    }

    private static func spawn(_ words: [String], _ input: CInt, _ output: CInt) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        // Others are the test's, and would stay open for as long as the server runs.
        for descriptor in CInt(3)..<1_024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A thread of Dispatch blocks SIGTERM, and would pass that on.
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

    /// Reads until the text is enough or ends.
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
