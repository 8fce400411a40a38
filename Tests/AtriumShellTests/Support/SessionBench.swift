@_spi(Host) import AtriumKit
import AtriumNavigation
import AtriumStorage
import Glibc
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumLineEditor
@testable import AtriumMCP
@testable import AtriumPrompt
@testable import AtriumServing
@testable import AtriumSession
@testable import AtriumText

enum SessionKind: CaseIterable {
    /// In the process of the scene.
    case local
    /// Over a pair of sockets, with a served scene at the other end.
    case remote
}

/// A session on a scene of a small host, and the front end that uses it.
@MainActor
final class SessionBench {
    /// Kept, because a line that was left runs on after the end of a test.
    private static var hosts: [TestHost] = []

    let shop: TestHost
    let server: SceneServer
    let scene: Scene
    let session: any SceneSession
    let frontEnd = RecordingFrontEnd()

    init(
        _ kind: SessionKind, _ description: FrontEndDescription = FrontEndDescription { $0.isPerson = true }
    ) async throws {
        shop = try TestHost()
        Self.hosts.append(shop)
        server = try SceneServer(serving: shop)
        frontEnd.size = description.size
        switch kind {
        case .local:
            scene = shop.scene
            let streams = LineRunner.Streams(
                output: SessionBench.stream(to: frontEnd, SessionEvent.output),
                errors: SessionBench.stream(to: frontEnd, SessionEvent.error), errorWidth: nil)
            let viewport = ViewportFeed(shop.scene.viewport, option: nil) { [frontEnd] in
                MainActor.assumeIsolated { frontEnd.size }
            }
            session = LocalSession(shop.scene, description, writingTo: streams, viewport: viewport)
        case .remote:
            let sockets = try MCPRelay.pair()
            server.serve(sockets.host)
            let remote = RemoteSession(
                description, to: HostClient(sockets.relay), in: try DataFolder(explicit: "/nowhere"))
            try await remote.hello()
            session = remote
            scene = try #require(server.served.first?.scene)
        }
        session.frontEnd = frontEnd
    }

    isolated deinit {
        (session as? RemoteSession)?.client.close()
        for scene in shop.host.scenes where scene !== shop.scene { shop.host.end(scene) }
    }

    private static func stream(
        to frontEnd: RecordingFrontEnd, _ event: @escaping @Sendable (String) -> SessionEvent
    ) -> OutputStream {
        OutputStream(name: "The output") { bytes in
            frontEnd.receive(event(String(decoding: bytes, as: UTF8.self)))
            return nil
        }
    }

    /// Runs a line, as a shell does.
    @discardableResult
    func run(_ line: String) async throws -> LineResult {
        let result = try await session.run(.success(line), keepsHistory: true)
        try session.settle()
        return result
    }

    func leaveQuestion() async throws -> LineResult? {
        let result = try await session.leaveQuestion()
        try session.settle()
        return result
    }

    /// The start of the completed word, and the candidates.
    func completions(of line: String) async throws -> (start: Int?, texts: [String?]) {
        guard let remote = session as? RemoteSession else {
            let list = await session.completions(of: line, at: line.utf8.count)
            return (list.start, list.candidates.map(\.text))
        }
        // The session itself would block the main thread, on which the served scene answers.
        let answer = try await remote.client.request("complete", ["line": .string(line)])
        return (answer.number("start"), answer["candidates"].items.map { $0.text("text") })
    }

    func resize(to size: TerminalSize, promptRows: Int, redraws: Bool) {
        frontEnd.size = size
        session.resize(to: size, promptRows: promptRows, redraws: redraws)
    }
}

extension SceneServer {
    /// A server that keeps no stacks; in a folder, it can accept connections.
    convenience init(
        serving shop: TestHost, as kind: HostIdentity.Kind = .none, in folder: String = "/nowhere"
    ) throws {
        self.init(
            shop.host, in: try DataFolder(explicit: folder),
            as: HostIdentity(
                kind: kind, environment: .mock, api: nil, configurationFile: "/modules.json"),
            helloLimit: .seconds(600),
            restore: { _, _ in NavigationState() }, forget: { _ in })
        // As the host does: a client may close its end at any time.
        signal(SIGPIPE, SIG_IGN)
        servePrograms()
    }
}

// A screen whose actions run until a test ends them.

struct WaitingRoom: Destination {
    static let pattern: LinkPattern = "room"
}

@MainActor
final class RoomLog {
    var lines: [String] = []
    let release = Promise<Void>()
}

struct RoomView: View {
    let log: RoomLog

    var body: Content { Title("Room") }

    var actions: [Action] {
        Action("hold", "Waits", effect: .reads) {
            log.lines.append("hold")
            defer { log.lines.append("hold ended") }
            try await log.release.value()
            return .updated
        }
        Action("stick", "Waits, and ignores its cancellation", effect: .reads) {
            log.lines.append("stick")
            _ = await Task { try? await log.release.value() }.value
            log.lines.append("stick ended")
            return .updated
        }
    }
}

extension TestHost {
    /// Adds the waiting room.
    func addRoom() throws -> RoomLog {
        let log = RoomLog()
        try add("Room") { registry in registry.screen(WaitingRoom.self) { _ in RoomView(log: log) } }
        return log
    }
}
