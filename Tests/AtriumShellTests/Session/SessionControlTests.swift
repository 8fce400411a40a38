@_spi(Host) import AtriumKit
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumLineEditor
@testable import AtriumSession
@testable import AtriumText

/// The operations of a front end while a line runs, and at the prompt.
@Suite("Control of sessions, local and remote", .timeLimit(.minutes(5)))
@MainActor
struct SessionControlTests {
    /// The description of each kind of session whose line ``SceneSession/cancel()`` cancels.
    private nonisolated static let cancellable: [(SessionKind, FrontEndDescription)] = [
        (
            .local,
            FrontEndDescription {
                $0.isPerson = true
                $0.isJSON = true
            }
        ),
        (
            .remote,
            FrontEndDescription {
                $0.isPerson = true
                $0.isJSON = true
            }
        ),
        (.remote, FrontEndDescription { $0.isJSON = true }),
    ]

    @Test("Ctrl-C cancels the running line, and the next one runs", arguments: cancellable)
    func cancel(_ kind: SessionKind, _ description: FrontEndDescription) async throws {
        let bench = try await SessionBench(kind, description)
        let log = try bench.shop.addRoom()
        async let result = bench.run("room hold")
        await eventually("the action runs") { log.lines == ["hold"] }

        bench.session.cancel()
        let status = try await result.status

        #expect(status == .cancelled)
        #expect(log.lines == ["hold", "hold ended"])
        #expect(try await bench.run("items/7 text").status == .done)
        #expect(try bench.frontEnd.codes == ["cancelled", nil])
    }

    @Test("A line that ignores Ctrl-C can be left, and runs on", arguments: SessionKind.allCases)
    func abandon(_ kind: SessionKind) async throws {
        let bench = try await SessionBench(kind)
        let log = try bench.shop.addRoom()
        async let result = bench.run("room stick")
        await eventually("the action runs") { log.lines == ["stick"] }

        bench.session.abandon()
        let status = try await result.status

        #expect(status == .cancelled)
        #expect(try await bench.run("items/7 text").status == .done)
        #expect(log.lines == ["stick"])
        log.release.settle(.success(()))
        await eventually("the action has ended") { log.lines == ["stick", "stick ended"] }
    }

    @Test("A script's background commands finish before its end", arguments: SessionKind.allCases)
    func background(_ kind: SessionKind) async throws {
        let bench = try await SessionBench(kind, FrontEndDescription { $0.isJSON = true })
        let log = try bench.shop.addRoom()
        try await bench.run("room hold &")
        await eventually("the action runs") { log.lines == ["hold"] }

        let closing = Task {
            let status = try await bench.session.close()
            log.lines.append("closed")
            return status
        }
        // Enough turns for an end that does not wait.
        for _ in 0..<20 { await Task.yield() }
        log.release.settle(.success(()))

        #expect(try await closing.value == .done)
        #expect(log.lines == ["hold", "hold ended", "closed"])
    }

    // MARK: - The prompt

    @Test("Words are completed, and variables are the front end's own", arguments: SessionKind.allCases)
    func completion(_ kind: SessionKind) async throws {
        let bench = try await SessionBench(kind)
        let line = "items sign-in ada --password @env:PATH"

        let found = try await bench.completions(of: "items si")
        let variables = await bench.session.completions(of: line, at: line.utf8.count)

        #expect(found.start == 6 && found.texts == ["sign-in"])
        #expect(variables.start == 29 && variables.candidates.contains { $0.text == "@env:PATH" })
    }

    @Test("News, pictures, the echo and the size pass through", arguments: SessionKind.allCases)
    func display(_ kind: SessionKind) async throws {
        let size = TerminalSize(columns: 80, rows: 24)
        let bench = try await SessionBench(
            kind,
            FrontEndDescription {
                $0.size = size
                $0.isPerson = true
                $0.isTerminal = true
            })

        bench.resize(to: TerminalSize(columns: 100, rows: 40), promptRows: 2, redraws: true)
        await eventually("the echo is off again") { bench.frontEnd.events == [.echo(false)] }
        #expect(bench.scene.viewport.current == Viewport(columns: 100, rows: 40, promptRows: 2))

        bench.frontEnd.clear()
        bench.scene.announce("News")
        bench.scene.display.show(["A picture"])
        bench.scene.display.keyboard.turnOn()
        await eventually("three events") { bench.frontEnd.events.count == 3 }
        let events = bench.frontEnd.events
        guard case .above("News\n", let prompt) = events[0], case .screen(let picture) = events[1] else {
            Issue.record("The events are \(events).")
            return
        }
        #expect(prompt == bench.session.prompt && picture.contains("A picture"))
        #expect(events[2] == .echo(true))
    }
}
