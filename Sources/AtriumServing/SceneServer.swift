package import AtriumCommands
@_spi(Host) package import AtriumKit
package import AtriumNavigation
package import AtriumSession
package import AtriumStorage
package import AtriumText
internal import Dispatch
internal import Glibc

/// Lets other processes of the same user attach to the host: each gets a scene.
@MainActor
package final class SceneServer {
    /// The most concurrent connections.
    static let limit = 64

    package let host: ShellHost
    let identity: HostIdentity
    package typealias Restore =
        @MainActor (String, _ report: (any ExplainedError) -> Void) throws(StorageError) -> NavigationState
    /// Restores the stack stored under a scene's name; the next deletes it.
    let restore: Restore
    let forget: @MainActor (String) -> Void
    /// The functions that begin a session in another protocol, by the `mode` in `hello`.
    package var modes:
        [String: @MainActor (ServedScene, RPCParameters) throws(RPCError) -> any GuestSession] = [:]
    private let folder: DataFolder
    private var listener: CInt?
    private(set) var served: [ServedScene] = []
    private var watch: Task<Void, Never>?
    /// Logs a line about a client that was refused or dropped.
    package var log: @MainActor (String) -> Void = { _ in }

    /// True if the host is ending: no further commands are run.
    package private(set) var isEnding = false
    /// The time limit for running commands to end then.
    private let drainLimit: Duration
    /// The time limit for the first request of a connection.
    let helloLimit: Duration
    package static let endReason = "The host has ended."
    /// True if the host is executed again after its end, so that users' clients wait for it.
    package var startsAgain = false
    private static let restartReason = "The host restarts."

    package init(
        _ host: ShellHost, in folder: DataFolder, as identity: HostIdentity,
        drainLimit: Duration = .zero, helloLimit: Duration = .seconds(10),
        restore: @escaping Restore,
        forget: @escaping @MainActor (String) -> Void
    ) {
        (self.drainLimit, self.helloLimit, self.host) = (drainLimit, helloLimit, host)
        (self.folder, self.identity, self.restore, self.forget) = (folder, identity, restore, forget)
    }

    /// The address that clients connect to.
    package var address: String { folder.path(HostSocket.fileName) }

    /// Starts accepting connections.
    ///
    /// - Throws: ``ShellError`` with code `notServed`.
    package func start() throws(ShellError) {
        let listener = try HostSocket.listen(in: folder)
        self.listener = listener
        DispatchQueue(label: "atrium.server").async { [weak self] in
            while true {
                do throws(SystemError) {
                    guard let connection = try HostSocket.accept(listener) else { continue }
                    DispatchQueue.main.async { MainActor.assumeIsolated { self?.admit(connection) } }
                } catch {
                    guard error.passes else { break }
                    if [EMFILE, ENFILE].contains(error.number) {
                        Self.refuseNext(listener)
                    }
                    usleep(100_000)
                }
            }
            close(listener)
        }
    }

    /// Refuses the waiting client, if any.
    private nonisolated static func refuseNext(_ listener: CInt) {
        var event = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, 0) > 0 else { return }
        let accepted = ProcessLimits.withReserve { try? HostSocket.accept(listener) }
        guard let connection = accepted.flatMap(\.self) else { return }
        let error = ShellError.tooManyClients(nil, "the host has no file descriptor left")
        LineStream<RPCMessage>(connection).refuse(RPCMessage.failure(nil, RPCError(error)))
    }

    /// Stops accepting, waits for clients' commands, or for scripts that attached to a script, then notifies
    /// all clients that the host ends.
    package func stop() async {
        if let listener {
            HostSocket.remove(from: folder)
            shutdown(listener, Int32(SHUT_RDWR))
            self.listener = nil
        }
        if identity.kind == .script, !isEnding {
            for client in served where client.isScript { await client.ended() }
        }
        await drain()
        for client in served {
            client.end(because: startsAgain ? Self.restartReason : Self.endReason, startsAgain: startsAgain)
        }
        watch?.cancel()
    }

    /// Starts no further commands for clients.
    package func stopRunning() {
        isEnding = true
        for client in served { client.stopRunning() }
    }

    /// Waits until running commands have ended; those that exceed the limit are answered as unknown.
    private func drain() async {
        stopRunning()
        let end = ContinuousClock.now + drainLimit
        while served.contains(where: \.isBusy), .now < end {
            try? await Task.sleep(for: .milliseconds(5))
        }
        for client in served where client.isBusy { client.giveUp() }
    }

    private func admit(_ connection: CInt) {
        let stream = LineStream<RPCMessage>(connection)
        guard listener != nil, !isEnding else {
            return stream.refuse(RPCMessage.failure(nil, RPCError(ShellError.hostEnds)))
        }
        admit(stream)
    }

    /// Serves the other end of a socket within this process.
    package func serve(_ socket: CInt) { admit(LineStream<RPCMessage>(socket)) }

    /// Waits until the client of a scene has left.
    package func departure(of scene: Scene, within limit: Duration) async {
        guard let client = served.first(where: { $0.scene === scene }) else { return }
        try? await withTimeLimit(limit, of: "The client") { await client.ended() }
    }

    /// Waits until the last client has left.
    package func idle() async {
        while let client = served.first { await client.ended() }
    }

    private func admit(_ stream: LineStream<RPCMessage>) {
        guard served.count < Self.limit else { return refuse(stream) }
        if let lack = ProcessLimits.lack(for: stream.descriptor) { return refuse(stream, lack) }
        let client = ServedScene(stream, of: self)
        guard client.start() else { return refuse(stream, "the system has no thread left for another") }
        served.append(client)
        if watch == nil { watch = Task { [weak self] in await Self.watch { self } } }
    }

    private func refuse(_ stream: LineStream<RPCMessage>, _ lack: String? = nil) {
        let error = ShellError.tooManyClients(served.count, lack)
        stream.refuse(RPCMessage.failure(nil, RPCError(error)))
        log("A client was refused: \(error.message)")
    }

    func didEnd(_ client: ServedScene) {
        served.removeAll { $0 === client }
        if served.isEmpty {
            watch?.cancel()
            watch = nil
        }
    }

    /// Drops clients that don't read or don't send; runs only while there are clients.
    private static func watch(_ server: @MainActor () -> SceneServer?) async {
        while (try? await Task.sleep(for: .seconds(1))) != nil, let server = server() {
            for client in server.served { client.dropIfDead() }
        }
    }

    /// The client attached to the scene of this name.
    func client(of name: String) -> ServedScene? { served.first { $0.scene?.name == name } }

    package func freeName(_ kind: String) -> String {
        var number = 2
        while client(of: "\(kind)-\(number)") != nil { number += 1 }
        return "\(kind)-\(number)"
    }
}

extension ShellError {
    /// A refusal because of too many clients, or too little of another resource.
    fileprivate static func tooManyClients(_ count: Int?, _ lack: String?) -> ShellError {
        let attached =
            lack == nil ? "\(count ?? 0) clients are attached already" : "No more clients can attach"
        return ShellError(
            "tooManyClients", "\(attached)\(lack.map { ": \($0)" } ?? "").",
            hint: lack == nil
                ? "Close one of them; 'scenes' lists them."
                : "Close a client, or start the host with higher limits: 'ulimit -a' lists the limits.",
            category: .refused)
    }
}
