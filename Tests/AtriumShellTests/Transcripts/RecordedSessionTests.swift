@_spi(Host) import AtriumKit
import AtriumLibraries
import AtriumStorage
import Testing

@testable import AtriumMCP
@testable import AtriumServing
@testable import AtriumSession
@testable import AtriumText
@testable import AtriumTranscripts

@Suite("Recording a session, and playing it", .timeLimit(.minutes(1)))
@MainActor
struct RecordedSessionTests {
    @Test("A session is recorded as a transcript that can be played, without its secrets")
    func story() async {
        // A transcript's folder changes the current folder and the home of the process.
        await #expect(processExitsWith: .success) { try await recordAndPlay() }
    }
}

@MainActor
private func recordAndPlay() async throws {
    let folder = try TranscriptFolder([])
    defer { folder.remove() }
    let path = folder.path + "/story.transcript"
    try await record(path, in: folder)

    let transcript = try Transcript(reading: path)
    #expect(
        transcript.text == """
            #!/usr/bin/env -S atrium test --env mock

            main> items/7 text
            Here:

            A text.

            main> archive unlock
            secret> <secret-1>
            Archive

            main> items fail
            error: There is none left.

            """)
    try await play(transcript, in: folder)
}

@MainActor
private func record(_ path: String, in folder: TranscriptFolder) async throws {
    let recorder = try TranscriptRecorder(path, shown: path, replaces: false, in: folder)
    let bench = try await SessionBench(.remote, .recorded(TranscriptRecorder.scene))
    let archive = ArchiveLog()
    archive.isMember = true
    try bench.shop.addArchive(archive)
    let remote = try #require(bench.session as? RemoteSession)
    let session = RecordedSession(remote, recorder)
    session.frontEnd = bench.frontEnd
    bench.frontEnd.secrets = ["Zaunkönig"]
    recorder.begin(in: remote.environment)

    for line in ["items/7 text", "archive unlock", "items fail"] {
        #expect(try await !session.run(.success(line), keepsHistory: true).ends)
    }
    #expect(try await session.run(.success("exit"), keepsHistory: true).ends)
    try recorder.close()

    #expect(recorder.count == 3 && recorder.hasSecrets)
    #expect(bench.frontEnd.questions == ["code"] && archive.lines.contains("unlock"))
    // Errors pass to the front end too.
    #expect(bench.frontEnd.events.contains(.error("error: There is none left.\n")))
}

@MainActor
private func play(_ transcript: Transcript, in folder: TranscriptFolder) async throws {
    let shop = try TestHost()
    let archive = ArchiveLog()
    archive.isMember = true
    try shop.addArchive(archive)
    let server = try SceneServer(serving: shop)
    let sockets = try MCPRelay.pair()
    server.serve(sockets.host)
    let scene = try await PlayedScene(
        .recorded("main"), HostClient(sockets.relay), in: try DataFolder(explicit: "/nowhere"))

    for step in transcript.steps {
        let outcome = try await scene.type(step.input, secrets: step.secrets)
        let printed = PrintedOutput(folder.naming(scene.take()), status: outcome.status)
        #expect(outcome.problem == nil)
        #expect(ExpectedOutput(step.expected).fits(printed, now: SystemClock().now()), "\(printed.lines)")
    }
    #expect(archive.lines.filter { $0 == "unlock" }.count == 1)

    #expect(try await scene.type("archive unlock", secrets: []).problem != nil)
    #expect(try await scene.type("items/7 text", secrets: ["one too many"]).problem != nil)
    #expect(try await scene.type("exit 3", secrets: []).status == 3)
    #expect(scene.hasEnded)
    await server.stop()
    #expect(shop.stack.isEmpty)
}
