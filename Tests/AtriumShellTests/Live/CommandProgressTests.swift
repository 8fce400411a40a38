import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("The status line of a slow command")
@MainActor
struct CommandProgressTests {
    /// A command on a clock that the test advances, and the lines that it showed.
    @MainActor
    private final class Stage {
        var time = Duration.seconds(100)
        var count: String?
        /// The lines that were shown, and nil for each removal of the line.
        var lines: [String?] = []
        private(set) lazy var progress = CommandProgress(
            text: { "entities list" }, count: { [unowned self] in count }, now: { [unowned self] in time },
            show: { [unowned self] in lines.append($0) })

        func pass(_ time: Duration) {
            self.time += time
            progress.tick()
        }
    }

    private let stage = Stage()

    init() {
        _ = stage.progress
    }

    @Test("A quick command neither shows nor removes a line")
    func quick() {
        stage.pass(.milliseconds(699))
        stage.progress.end()

        #expect(stage.lines.isEmpty)
    }

    @Test("A slow command shows its text, its time and its progress; at its end the line is removed")
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

    @Test("A restart removes the line and resets its time")
    func restarted() {
        stage.pass(.seconds(2))
        stage.progress.restart()
        stage.pass(.milliseconds(600))
        stage.pass(.milliseconds(200))

        #expect(stage.lines == ["entities list: 2.0 s", nil, "entities list: 0.8 s"])
    }
}
