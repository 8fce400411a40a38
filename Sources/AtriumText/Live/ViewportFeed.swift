@_spi(Host) package import AtriumKit
internal import Dispatch
internal import Glibc

/// `fixed`: 80 × 24, without a terminal.
package enum ViewportSource: String {
    case terminal, fixed, option
}

@MainActor
package final class ViewportFeed {
    package let source: ViewportSource
    private let monitor: ViewportMonitor
    private let measure: () -> TerminalSize?
    private var size: TerminalSize
    private var promptRows = 0
    private var resizes: SignalSource?

    package init(
        _ monitor: ViewportMonitor, option: TerminalSize?,
        measure: @escaping () -> TerminalSize? = { Terminal.size(of: HostOutput.standardOutput) }
    ) {
        self.monitor = monitor
        self.measure = measure
        let standard = TerminalSize(columns: Viewport.standard.columns, rows: Viewport.standard.rows)
        let measured = measure()
        source = option != nil ? .option : measured != nil ? .terminal : .fixed
        size = option ?? measured ?? standard
        update()
    }

    package var columns: Int {
        sizeMayHaveChanged()
        return size.columns
    }

    /// The room for a picture: the chosen size, within the terminal's.
    package var drawable: TerminalSize {
        sizeMayHaveChanged()
        guard let measured = measure() else { return size }
        return TerminalSize(columns: min(size.columns, measured.columns), rows: min(size.rows, measured.rows))
    }

    /// The number of lines of a reply that fit above a prompt and an empty line; nil on terminals that are
    /// not small, where longer replies scroll.
    package func room(above prompt: String) -> Int? {
        let size = drawable
        guard size.rows < Self.leastRows else { return nil }
        return max(1, size.rows - 2 - TextWidth.of(prompt) / max(1, size.columns))
    }

    /// Terminals with fewer rows are small.
    private static let leastRows = 12

    package func sizeMayHaveChanged() {
        guard source == .terminal, let measured = measure() else { return }
        size = measured
        update()
    }

    package func promptTakes(_ rows: Int) {
        promptRows = rows
        update()
    }

    /// Follows resizes itself, if no line editor reports them.
    package func followResizes() {
        guard source == .terminal, resizes == nil else { return }
        resizes = SignalSource(signal: SIGWINCH, queue: .main) { [weak self] in
            MainActor.assumeIsolated { self?.sizeMayHaveChanged() }
        }
    }

    private func update() {
        monitor.update(Viewport(columns: size.columns, rows: size.rows, promptRows: promptRows))
    }
}
