@_spi(Host) import AtriumKit
import Testing

@testable import AtriumShell

@Suite("What decides the viewport")
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

    @Test("The terminal does where there is one, also when its size changes")
    func terminalSize() {
        let feed = feed()
        #expect(feed.source == .terminal)
        #expect(monitor.current == Viewport(columns: 120, rows: 50))

        terminal.size = TerminalSize(columns: 40, rows: 10)
        feed.sizeMayHaveChanged()

        #expect(monitor.current == Viewport(columns: 40, rows: 10))
        #expect(feed.columns == 40)
    }

    @Test("Without one it is 80 by 24, and stays so")
    func fixed() {
        terminal.size = nil
        let feed = feed()
        terminal.size = TerminalSize(columns: 40, rows: 10)
        feed.sizeMayHaveChanged()

        #expect(feed.source == .fixed)
        #expect(monitor.current == .standard)
    }

    @Test("A size that was asked for stays, and is drawn as far as the terminal has it")
    func option() {
        let feed = feed(TerminalSize(columns: 200, rows: 10))
        terminal.size = TerminalSize(columns: 40, rows: 30)
        feed.sizeMayHaveChanged()

        #expect(feed.source == .option)
        #expect(monitor.current == Viewport(columns: 200, rows: 10))
        #expect(feed.drawable == TerminalSize(columns: 40, rows: 10))
    }

    @Test("The prompt takes rows from content")
    func prompt() {
        let feed = feed()
        feed.promptTakes(3)

        #expect(monitor.current.contentRows == 47)
        feed.promptTakes(1)
        #expect(monitor.current.contentRows == 49)
    }
}
