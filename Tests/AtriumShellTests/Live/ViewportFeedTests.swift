@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("Sources of the viewport")
@MainActor
struct ViewportFeedTests {
    private let monitor = ViewportMonitor()
    private let terminal = Measured()

    @MainActor
    private final class Measured {
        var size: TerminalSize? = TerminalSize(columns: 120, rows: 50)
    }

    private func feed(_ option: TerminalSize? = nil) -> ViewportFeed {
        ViewportFeed(
            monitor, option: option,
            measure: { [terminal] in
                MainActor.assumeIsolated { terminal.size }
            })
    }

    @Test("With a terminal the viewport has its size, also after a change")
    func terminalSize() {
        let feed = feed()
        #expect(feed.source == .terminal)
        #expect(monitor.current == Viewport(columns: 120, rows: 50))

        terminal.size = TerminalSize(columns: 40, rows: 10)
        feed.sizeMayHaveChanged()

        #expect(monitor.current == Viewport(columns: 40, rows: 10))
        #expect(feed.columns == 40)
    }

    @Test("Without a terminal the viewport is 80 by 24, and stays so")
    func fixed() {
        terminal.size = nil
        let feed = feed()
        terminal.size = TerminalSize(columns: 40, rows: 10)
        feed.sizeMayHaveChanged()

        #expect(feed.source == .fixed)
        #expect(monitor.current == .standard)
    }

    @Test("A size from the option stays, and the part that the terminal has is drawable")
    func option() {
        let feed = feed(TerminalSize(columns: 200, rows: 10))
        terminal.size = TerminalSize(columns: 40, rows: 30)
        feed.sizeMayHaveChanged()

        #expect(feed.source == .option)
        #expect(monitor.current == Viewport(columns: 200, rows: 10))
        #expect(feed.drawable == TerminalSize(columns: 40, rows: 10))
    }

    @Test("The prompt reduces the rows for content")
    func prompt() {
        let feed = feed()
        feed.promptTakes(3)

        #expect(monitor.current.contentRows == 47)
        feed.promptTakes(1)
        #expect(monitor.current.contentRows == 49)
    }
}
