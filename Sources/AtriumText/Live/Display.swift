@_spi(Host) package import AtriumKit
internal import Glibc

/// The progress of a command on the terminal while it runs.
@MainActor
package final class Display {
    package enum Form {
        case picture
        case lines
        case objects
    }

    package var form = Form.lines
    package var style = TextStyle(isColored: false)
    /// Writes complete lines, in order with the results of commands.
    package var write: (String) throws -> Void = { try OutputStream.standardOutput.write($0) }
    package var flush: () throws -> Void = { try OutputStream.standardOutput.flush() }
    /// Waits until the client has written its output, before the next command of a line.
    ///
    /// - Throws: ``ShellError`` if it can't.
    package var arrived: @MainActor () async throws -> Void = {}
    /// Flushes the output, and waits until it has arrived.
    package func written() async throws {
        try flush()
        try await arrived()
    }

    package var size: () -> TerminalSize = { Terminal.size() }
    /// The time to which times are relative; nil to show them exactly.
    package var now: () -> Timestamp? = { nil }
    package var viewportSource = ViewportSource.fixed
    package var isAsking: () -> Bool = { false }
    /// The progress on the screen of the running command; nil if it shows none.
    package var progress: () -> Progress? = { nil }
    package var count: String? { progress()?.countText }

    package let jobs = RunningJobs()
    private(set) var picture = TerminalPicture(write: Terminal.write)
    package var keyboard: any Keyboard = KeyboardEcho()
    private var status: CommandProgress?
    private var ticks: Task<Void, Never>?

    package init() {}

    package func prepare(for form: Form, style: TextStyle, viewport: ViewportFeed) {
        self.form = form
        self.style = style
        viewportSource = viewport.source
        size = { viewport.drawable }
    }

    package func drawPictures(with write: @escaping (String) -> Void) {
        picture = TerminalPicture(write: write)
    }

    /// Prepares for a picture: turns off echo, so that typed text does not appear in it.
    package func beginPicture() throws {
        endProgress()
        try flush()
        keyboard.turnOff()
    }

    package func show(_ lines: [String]) { picture.show(lines, in: size()) }

    package func endPicture() {
        picture.leave()
        keyboard.turnOn()
    }

    /// True if no picture is shown; a picture is redrawn on its own.
    package var isFree: Bool { picture.lines.isEmpty }

    /// True if announcements wait, because another program has the terminal.
    package var holdsAnnouncements = false {
        didSet {
            guard !holdsAnnouncements else { return }
            let waiting = held
            held = []
            for write in waiting { above(write) }
        }
    }
    private var held: [() -> Void] = []

    package func above(_ write: @escaping () -> Void) {
        guard !holdsAnnouncements else { return held.append(write) }
        let standing = picture.lines
        picture.erase(in: size())
        write()
        if !standing.isEmpty { picture.show(standing, in: size()) }
    }

    package func processDidContinue() {
        keyboard.turnOffAgain()
        let standing = picture.lines
        picture.leave()
        if !standing.isEmpty { picture.show(standing, in: size()) }
    }

    /// Starts the status line of a command, which appears on a terminal if the command takes long.
    package func beginProgress(of text: @escaping @MainActor () -> String) {
        guard form == .picture else { return }
        endProgress()
        let start = ContinuousClock.now
        status = CommandProgress(
            text: { [jobs] in jobs.foreground?.text ?? text() }, count: { [weak self] in self?.count },
            now: { start.duration(to: .now) }, show: { [weak self] in self?.show(progress: $0) })
        ticks = Task { [weak status, weak self] in
            var delay = CommandProgress.patience
            while (try? await Task.sleep(for: delay)) != nil, let status {
                delay = CommandProgress.interval
                if self?.isAsking() == false { status.tick() }
            }
        }
    }

    package func restartProgress() { status?.restart() }

    package func endProgress() {
        ticks?.cancel()
        ticks = nil
        status?.end()
        status = nil
    }

    private func show(progress: String?) {
        try? flush()
        guard let progress else {
            picture.erase(in: size())
            return keyboard.turnOn()
        }
        // Typed text is kept for the prompt, and not echoed into the line.
        if isFree { keyboard.turnOff() }
        let end = "; Ctrl-C cancels"
        let room = max(0, size().columns - TextWidth.of(end))
        let line = TextWidth.truncated(progress.printableLine, to: room) + end
        picture.show([line], in: size())
    }
}
