internal import CEditline
internal import Glibc

/// What the terminal does with what is typed: echo it, gather lines, turn Ctrl-C into a signal.
struct TerminalMode {
    private var settings: termios

    /// The mode standard input is in, or nil where that is no terminal.
    static func current() -> TerminalMode? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        return TerminalMode(settings: settings)
    }

    /// Whether the terminal gathers lines by itself, as between two commands.
    var isNormal: Bool { settings.c_lflag & tcflag_t(ICANON) != 0 }

    /// The mode for typing a secret: every key arrives at once, and none is shown.
    var silent: TerminalMode {
        var mode = self
        mode.settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHONL | ISIG | IEXTEN)
        mode.settings.c_iflag |= tcflag_t(ICRNL)
        withUnsafeMutableBytes(of: &mode.settings.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        return mode
    }

    /// The mode in which what is typed does not show; everything else is as it is in this one.
    var unechoed: TerminalMode {
        var mode = self
        mode.settings.c_lflag &= ~tcflag_t(ECHO | ECHONL)
        return mode
    }

    /// Sets the terminal to this mode.
    ///
    /// What has been typed and not read yet is kept.
    func apply() {
        var settings = settings
        while tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) == -1, errno == EINTR {}
    }

    /// Makes this the mode the terminal gets when the process ends or stops.
    func guardOnExit() {
        var settings = settings
        terminal_signals_arm(STDIN_FILENO, &settings)
    }

    /// Ends what ``guardOnExit()`` began.
    static func endGuard() {
        terminal_signals_disarm()
    }
}
