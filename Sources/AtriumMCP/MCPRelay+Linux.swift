package import AtriumCommands
package import AtriumKit
internal import AtriumLibraries
package import AtriumSession
package import AtriumStorage
package import AtriumText
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Relays lines between a program that speaks the Model Context Protocol and a host.
///
/// Copies on separate threads, so that it also works in the host's own process.
@MainActor
package final class MCPRelay: AttachedFrontEnd {
    private let socket: CInt
    private let permission: Permission
    /// The options that the host must have.
    private let wanted: JSONObject
    private let state = Mutex(State())

    private struct State {
        /// Bytes from the host after its last complete line.
        var unread = ArraySlice<UInt8>()
        var inputHasEnded = false
        /// The reason that the host gave for ending.
        var reason: String?
    }

    /// Connects to the host that serves a folder; nil if none does.
    ///
    /// - Throws: ``ShellError`` if the host belongs to another user.
    package convenience init?(
        to folder: DataFolder, _ permission: Permission, wanted: JSONObject
    ) throws(ShellError) {
        guard let socket = try HostSocket.connect(to: folder) else { return nil }
        self.init(over: socket, permission, wanted: wanted)
    }

    /// Takes over a connected socket.
    package init(over socket: CInt, _ permission: Permission, wanted: JSONObject) {
        (self.socket, self.permission, self.wanted) = (socket, permission, wanted)
    }

    deinit { close(socket) }

    /// Connected sockets for the relay, and for the host that it talks to.
    package static func pair() throws(ShellError) -> (relay: CInt, host: CInt) {
        var sockets: [CInt] = [-1, -1]
        // architecture: allow direct-networking, because both ends are in this process
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0
        else {
            throw ShellError("notServed", "Can't create a socket: \(SystemError.current.reason).")
        }
        return (sockets[0], sockets[1])
    }

    // MARK: - Beginning

    package func begin() async throws -> AttachmentReply {
        let description = FrontEndDescription {
            $0.name = "atrium mcp"
            $0.folder = WorkingFolder.path
        }
        var parameters = description.hello(wanted)
        parameters["mode"] = "mcp"
        parameters["allow"] = .string(permission.rawValue)
        let hello = RPCMessage.request(.number(1), "hello", parameters)
        let process = HostSocket.peer(of: socket)?.pid ?? 0
        let (line, isLate) = await onThread { [self] in
            setTimeout(10)
            defer { setTimeout(0) }
            _ = write(Array(hello.utf8), to: socket)
            let line = nextLine()
            return (line, line == nil && (errno == EAGAIN || errno == EWOULDBLOCK))
        }
        guard let line else {
            guard isLate else { return .hasEnded }
            throw ShellError(
                "hostBusy", "The host that runs (process \(process)) does not answer.",
                hint: "Wait for what it does, or end it: kill -KILL \(process)")
        }
        switch RPCMessage(line: line) {
        case .response(_, .failure(let error)):
            let error = ShellError(error)
            if error.code == "hostIsScript" { return .isScript }
            throw error
        case .refusal(let error), .invalid(_, let error): throw ShellError(error)
        default: return .begun
        }
    }

    private nonisolated func setTimeout(_ seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    // MARK: - Copying

    /// Copies until standard input has ended and everything is answered, or until the host ends.
    package func run() async throws -> ExitStatus {
        DispatchQueue(label: "atrium.mcp.input").async { [self] in copyInput() }
        await onThread { [self] in copyOutput() }
        let (hasEnded, reason) = state.withLock { ($0.inputHasEnded, $0.reason) }
        guard !hasEnded || reason != nil else { return .done }
        throw ShellError.hostGone(reason)
    }

    /// Ends both directions.
    package nonisolated func stop() { shutdown(socket, Int32(SHUT_RDWR)) }

    private nonisolated func copyInput() {
        var line: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = bytes.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            // Whole lines, so that the relay can insert its own answers between them.
            line += bytes[..<count]
            guard let end = line.lastIndex(of: UInt8(ascii: "\n")) else {
                // The host refuses a line this long.
                if line.count > LineStream<RPCMessage>.lineLimit { break }
                continue
            }
            guard write(Self.forwarded(line[...end]), to: socket) else { return }
            line.removeFirst(end + 1)
        }
        _ = write(Self.forwarded(line[...]), to: socket)
        state.withLock { $0.inputHasEnded = true }
        // Keep the socket open for answers to the host, which closes it once all calls are answered.
        _ = write(Array(RPCMessage.notification("end", [:]).utf8), to: socket)
        // Hosts of earlier versions end the session at the end of the stream; by then no host has questions.
        DispatchQueue.global().asyncAfter(deadline: .now() + 12) { [weak self] in
            self.map { _ = shutdown($0.socket, Int32(SHUT_WR)) }
        }
    }

    /// The client's lines, without those that only the relay may send: answers about its environment, and
    /// the notification `end`.
    nonisolated static func forwarded(_ lines: ArraySlice<UInt8>) -> [UInt8] {
        let lineEnd = UInt8(ascii: "\n")
        return lines.split(separator: lineEnd).flatMap { line -> [UInt8] in
            // Parse as the host does, so that escapes can't hide a name.
            switch RPCMessage(line: Array(line)) {
            case .response(.text(let id), _) where id.hasPrefix(questionPrefix): return []
            case .notification("end", _): return []
            default: return Array(line) + [lineEnd]
            }
        }
    }

    private nonisolated func copyOutput() {
        while let line = nextLine() {
            if line.starts(with: Self.question),
                case .request(let id, "environment", let parameters) = RPCMessage(line: line)
            {
                answer(id, parameters)
            } else if line.starts(with: Self.end),
                case .notification("end", let parameters) = RPCMessage(line: line)
            {
                state.withLock { $0.reason = parameters.text("reason") }
            } else if !write(line + [UInt8(ascii: "\n")], to: HostOutput.standardOutput) {
                let failure = errno
                state.withLock { state in
                    // The reader of standard output has exited.
                    if failure == EPIPE {
                        state.inputHasEnded = true
                    } else {
                        state.reason =
                            "Standard output can't be written: \(SystemError(number: failure).reason)."
                    }
                }
                return stop()
            }
        }
    }

    /// The identifier prefix of the host's questions to the relay.
    nonisolated static let questionPrefix = "environment-"
    /// The prefixes of lines from the host that are for the relay itself.
    private nonisolated static let question = Array(#"{"jsonrpc":"2.0","id":"\#(questionPrefix)"#.utf8)
    private nonisolated static let end = Array(#"{"jsonrpc":"2.0","method":"end","#.utf8)

    /// Answers the host's request for an environment variable of the client.
    private nonisolated func answer(_ id: RPCID, _ parameters: RPCParameters) {
        let value = parameters.text("name").flatMap { getenv($0) }.map {
            JSONValue.string(String(cString: $0))
        }
        _ = write(Array(RPCMessage.result(id, ["value": value ?? .null]).utf8), to: socket)
    }

    private let writing = Mutex(())

    /// Writes whole lines; returns whether that succeeded.
    private nonisolated func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        guard descriptor == socket else {
            return bytes.withUnsafeBytes { OutputStream.write($0, to: descriptor) } == nil
        }
        return writing.withLock { _ in bytes.withUnsafeBytes { OutputStream.write($0, to: descriptor) } }
            == nil
    }

    /// The next line from the host, without its line end; nil if there is none.
    private nonisolated func nextLine() -> [UInt8]? {
        var line = state.withLock { state in
            defer { state.unread = [] }
            return state.unread
        }
        var searched = line.startIndex
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            if let end = line[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let rest = line[(end + 1)...]
                state.withLock { $0.unread = rest }
                return Array(line[..<end])
            }
            searched = line.endIndex
            let count = bytes.withUnsafeMutableBytes { read(socket, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            line += bytes[..<count]
        }
    }

    private nonisolated func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value
    {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "atrium.mcp.output").async { continuation.resume(returning: work()) }
        }
    }
}
