internal import AtriumKit
internal import Glibc

/// What is shown while a command runs: how, where, and by whom.
///
/// Set up by the shell; without one, lines go to standard output.
@MainActor
final class Display {
    /// How a command shows what happens while it runs.
    enum Form {
        /// In place, on a terminal.
        case picture
        /// A line for each thing, as in a file.
        case lines
        /// An object on a line for each thing, for programs.
        case objects
    }

    var form = Form.lines
    var style = TextStyle(isColored: false)
    /// Takes ended text, in order with the results of commands.
    var write: (String) throws -> Void = { try OutputStream.standardOutput.write($0) }
    /// The size of what a picture is drawn on.
    var size: () -> TerminalSize = { Terminal.size() }
    /// Where the viewport's size comes from.
    var viewportSource = ViewportSource.fixed
    /// Whether a person is being asked for a line or a secret.
    var isAsking: () -> Bool = { false }
    /// How far the command that runs is, in words; nil where nobody knows.
    var count: () -> String? = { nil }

    let jobs = RunningJobs()
    private(set) var picture = TerminalPicture(write: Terminal.write)
    private let keyboard = KeyboardEcho()
    private var progress: CommandProgress?
    private var ticks: Task<Void, Never>?

    /// Takes what the shell knows.
    ///
    /// - Parameters:
    ///   - form: How a command shows what happens; nil for what standard output allows.
    ///   - style: The colours of results.
    ///   - viewport: Knows the size of the terminal.
    func prepare(for form: Form?, style: TextStyle, viewport: ViewportFeed) {
        let allowsPictures = Terminal.isTerminal(STDOUT_FILENO) && Terminal.understandsSequences
        self.form = form ?? (allowsPictures ? .picture : .lines)
        self.style = style
        viewportSource = viewport.source
        size = { viewport.drawable }
    }

    // MARK: - Pictures

    /// Draws pictures elsewhere than on standard output.
    func drawPictures(with write: @escaping (String) -> Void) {
        picture = TerminalPicture(write: write)
    }

    /// Prepares the terminal for a picture that stays for a while: what is typed does not show in it.
    func beginPicture() throws {
        endProgress()
        try OutputStream.standardOutput.flush()
        keyboard.turnOff()
    }

    func show(_ lines: [String]) {
        picture.show(lines, in: size())
    }

    /// Leaves the picture standing, and what is printed next begins below it.
    func endPicture() {
        picture.leave()
        keyboard.turnOn()
    }

    /// Lets others write above what stands there.
    func above(_ write: () -> Void) {
        let standing = picture.lines
        picture.erase(in: size())
        write()
        if !standing.isEmpty { picture.show(standing, in: size()) }
    }

    /// The process goes on after it was stopped: others have written to the terminal.
    func processDidContinue() {
        keyboard.turnOffAgain()
        let standing = picture.lines
        picture.leave()
        if !standing.isEmpty { picture.show(standing, in: size()) }
    }

    // MARK: - Progress

    /// A command begins; on a terminal it gets a status line if it takes long.
    ///
    /// - Parameter text: What runs, where it is not among the jobs.
    func beginProgress(of text: @escaping @MainActor () -> String) {
        guard form == .picture else { return }
        endProgress()
        let start = ContinuousClock.now
        progress = CommandProgress(
            text: { [jobs] in jobs.foreground?.text ?? text() }, count: { [weak self] in self?.count() },
            now: { start.duration(to: .now) }, show: { [weak self] in self?.show(progress: $0) })
        ticks = Task { [weak progress, weak self] in
            var delay = CommandProgress.patience
            while (try? await Task.sleep(for: delay)) != nil, let progress {
                delay = CommandProgress.interval
                if self?.isAsking() == false { progress.tick() }
            }
        }
    }

    /// Takes the line away while a person is asked for something, and begins anew.
    func restartProgress() {
        progress?.restart()
    }

    /// The command has ended, was left to itself, or shows something itself.
    func endProgress() {
        ticks?.cancel()
        ticks = nil
        progress?.end()
        progress = nil
    }

    private func show(progress: String?) {
        try? OutputStream.standardOutput.flush()
        guard let progress else { return picture.erase(in: size()) }
        let end = "; Ctrl-C cancels"
        let room = max(0, size().columns - TextWidth.of(end))
        let line = TextWidth.truncated(progress.printableLine, to: room) + end
        picture.show([line], in: size())
    }
}
