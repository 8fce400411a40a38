@_spi(Host) import AtriumKit
import AtriumStorage
import TestSupport
import Testing

@testable import AtriumMCP
@testable import AtriumServing
@testable import AtriumSession
@testable import AtriumText

/// The ends of a connection, which only remote sessions have.
@Suite("The end of a remote session's host", .timeLimit(.minutes(5)))
@MainActor
struct RemoteSessionTests {
    private let frontEnd = RecordingFrontEnd()
    private let folder = TemporaryFolder()
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    /// Begins a session whose host is a peer that only answers `hello`.
    private func session(_ description: FrontEndDescription) async throws -> (RemoteSession, RawPeer) {
        let sockets = try MCPRelay.pair()
        let peer = RawPeer(sockets.host)
        let session = RemoteSession(
            description, to: HostClient(sockets.relay), in: try DataFolder(explicit: folder.path))
        session.frontEnd = frontEnd
        let welcome = Task { _ = try await session.hello() }
        #expect(await peer.take(answering: [:]) == "hello")
        try await welcome.value
        return (session, peer)
    }

    @Test("A script's line has an unknown outcome if the host ends without a reason")
    func unknownOutcome() async throws {
        let (session, peer) = try await session(FrontEndDescription())
        let line = Task { try await session.run(.success("where")) }
        #expect(await peer.take(answering: nil) == "run")

        let error = await #expect(throws: ShellError.self) { try await line.value }
        let next = await #expect(throws: ShellError.self) { try await session.run(.success("where")) }

        #expect(error?.code == .unknownOutcome && next?.code == .hostGone)
        await eventually("the end") { frontEnd.events == [.end] }
    }

    @Test("A user's session reconnects after the host crashes, and ends if the host gives a reason")
    func restored() async throws {
        let server = try SceneServer(serving: shop, in: folder.path)
        let (session, peer) = try await session(FrontEndDescription { $0.isPerson = true })
        try await session.begin { _ in }
        let line = Task { try await session.run(.success("where")) }
        #expect(await peer.take(answering: nil) == "run")
        await eventually("the loss") { !frontEnd.events.isEmpty }

        try server.start()
        let result = try await line.value

        #expect(result.status == .failed && !result.ends)
        guard case .lost? = frontEnd.events.first, case .restored(_, crash: .none)? = frontEnd.events.last
        else {
            Issue.record("The events are \(frontEnd.events).")
            return
        }
        #expect(try await session.run(.success("items/7 text")).status == .done)
        #expect(frontEnd.output == "Here:\n\nA text.\n")

        frontEnd.clear()
        await server.stop()
        await eventually("the end") { frontEnd.events == [.end] }
        #expect(session.end?.code == .hostGone)
        let error = await #expect(throws: ShellError.self) { try await session.run(.success("where")) }
        #expect(error?.code == .hostGone)
    }
}
