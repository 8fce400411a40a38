@_spi(Host) internal import AtriumKit
internal import Dispatch
internal import Glibc

/// Where the size of the viewport comes from.
enum ViewportSource: String {
    /// The size of the terminal, as it is now.
    case terminal
    /// 80 columns of 24 rows, because there is no terminal.
    case fixed
    /// Option `--size`, whatever the terminal's size.
    case option
}

/// Keeps the viewport that screens see as the terminal is.
@MainActor
final class ViewportFeed {
    let source: ViewportSource
    private let monitor: ViewportMonitor
    private let measure: () -> TerminalSize?
    private var size: TerminalSize
    private var promptRows = 0
    private var resizes: SignalSource?

    /// Makes a feed and gives the monitor the present size.
    ///
    /// - Parameters:
    ///   - monitor: What screens see.
    ///   - option: The size that was asked for; nil for the terminal's.
    ///   - measure: The size of the terminal on standard output; nil where there is none.
    init(
        _ monitor: ViewportMonitor, option: TerminalSize?,
        measure: @escaping () -> TerminalSize? = { Terminal.size(of: STDOUT_FILENO) }
    ) {
        self.monitor = monitor
        self.measure = measure
        let standard = TerminalSize(columns: Viewport.standard.columns, rows: Viewport.standard.rows)
        let measured = measure()
        source = option != nil ? .option : measured != nil ? .terminal : .fixed
        size = option ?? measured ?? standard
        tell()
    }

    /// The columns that text has room for, measured again where they can change.
    var columns: Int {
        sizeMayHaveChanged()
        return size.columns
    }

    /// What a picture can be drawn on: the size that was asked for, as far as the terminal has it.
    var drawable: TerminalSize {
        sizeMayHaveChanged()
        guard let measured = measure() else { return size }
        return TerminalSize(
            columns: min(size.columns, measured.columns), rows: min(size.rows, measured.rows))
    }

    /// Looks at the terminal's size again.
    func sizeMayHaveChanged() {
        guard source == .terminal, let measured = measure() else { return }
        size = measured
        tell()
    }

    /// The prompt, with what is typed behind it, takes this many rows.
    func promptTakes(_ rows: Int) {
        promptRows = rows
        tell()
    }

    /// Follows the terminal's size by itself, as where no line editor tells of it.
    func followResizes() {
        guard source == .terminal, resizes == nil else { return }
        resizes = SignalSource(signal: SIGWINCH, queue: .main) { [weak self] in
            MainActor.assumeIsolated { self?.sizeMayHaveChanged() }
        }
    }

    private func tell() {
        monitor.update(Viewport(columns: size.columns, rows: size.rows, promptRows: promptRows))
    }
}
