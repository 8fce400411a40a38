import Testing

@testable import AtriumShell

@Suite("The status line of a command that takes its time")
@MainActor
struct CommandProgressTests {
    /// A command whose time the test moves, and what its line showed.
    @MainActor
    private final class Stage {
        var time = Duration.seconds(100)
        var count: String?
        /// What was shown, and nil for each time the line was taken away.
        var lines: [String?] = []
        private(set) lazy var progress = CommandProgress(
            text: { "entities list" }, count: { self.count }, now: { self.time },
            show: { self.lines.append($0) })

        func pass(_ time: Duration) {
            self.time += time
            progress.tick()
        }
    }

    private let stage = Stage()

    init() {
        _ = stage.progress
    }

    @Test("A command that is quick shows nothing, and takes nothing away")
    func quick() {
        stage.pass(.milliseconds(699))
        stage.progress.end()

        #expect(stage.lines.isEmpty)
    }

    @Test("One that is not shows what runs, for how long, and how far it is; at its end the line goes")
    func slow() {
        stage.pass(.milliseconds(700))
        stage.count = "3 of 10"
        stage.pass(.milliseconds(800))
        stage.pass(.seconds(10))
        stage.pass(.seconds(60))
        stage.progress.end()

        #expect(
            stage.lines == [
                "entities list: 0.7 s", "entities list: 1.5 s, 3 of 10", "entities list: 11 s, 3 of 10",
                "entities list: 1 min 11 s, 3 of 10", nil,
            ])
    }

    @Test("Nothing is shown after the end")
    func ended() {
        stage.pass(.seconds(1))
        stage.progress.end()
        stage.pass(.seconds(1))
        stage.progress.end()

        #expect(stage.lines == ["entities list: 1.0 s", nil])
    }

    @Test("The time that a person takes to answer does not count")
    func restarted() {
        stage.pass(.seconds(2))
        stage.progress.restart()
        stage.pass(.milliseconds(600))
        stage.pass(.milliseconds(200))

        #expect(stage.lines == ["entities list: 2.0 s", nil, "entities list: 0.8 s"])
    }
}
