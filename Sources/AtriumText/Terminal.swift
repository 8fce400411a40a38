internal import CTerminal
internal import Glibc

package enum Terminal {
    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The size of the terminal on standard output or input; 80 × 24 if neither knows.
    package static func size() -> TerminalSize {
        size(of: HostOutput.standardOutput) ?? size(of: STDIN_FILENO) ?? TerminalSize(columns: 80, rows: 24)
    }

    package static func size(of descriptor: Int32) -> TerminalSize? {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 else { return nil }
        guard window.ws_col > 1, window.ws_row > 0 else { return nil }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    package static var errorWidth: (@MainActor () -> Int)? {
        guard isTerminal(HostOutput.standardError) else { return nil }
        return { size(of: HostOutput.standardError)?.columns ?? 80 }
    }

    package static let understandsSequences: Bool = {
        guard let name = getenv("TERM") else { return false }
        return strcmp(name, "") != 0 && strcmp(name, "dumb") != 0
    }()

    /// True if output to a descriptor may have colours; see no-color.org.
    package static func isColored(_ descriptor: Int32) -> Bool {
        isTerminal(descriptor) && understandsSequences && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
    }

    static func showCursor(_ isShown: Bool) {
        if understandsSequences { write(isShown ? "\u{1B}[?25h" : "\u{1B}[?25l") }
    }

    /// Restores the mode and cursor, before the process ends without cleaning up.
    package static func restore() { terminal_signals_restore() }

    /// Writes text to standard output, bypassing any buffer; text that a closed output refuses is lost.
    package static func write(_ text: String) {
        var text = text
        _ = text.withUTF8 { OutputStream.write(UnsafeRawBufferPointer($0), to: HostOutput.standardOutput) }
    }
}

package struct TerminalSize: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
    }
}

package struct TerminalMode {
    private var settings: termios

    package static func current() -> TerminalMode? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        return TerminalMode(settings: settings)
    }

    package var isNormal: Bool { settings.c_lflag & tcflag_t(ICANON) != 0 }

    /// For lines and secrets: keys arrive at once and none is echoed.
    package var silent: TerminalMode {
        var mode = self
        mode.settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHONL | ISIG | IEXTEN)
        mode.settings.c_iflag |= tcflag_t(ICRNL)
        withUnsafeMutableBytes(of: &mode.settings.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        return mode
    }

    var unechoed: TerminalMode {
        var mode = self
        mode.settings.c_lflag &= ~tcflag_t(ECHO | ECHONL)
        return mode
    }

    /// Applies the mode; pending input is kept.
    package func apply() {
        var settings = settings
        while tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) == -1, errno == EINTR {}
    }

    package func guardOnExit() {
        var settings = settings
        terminal_signals_arm(STDIN_FILENO, &settings)
    }

    package static func endGuard() { terminal_signals_disarm() }
}

/// Suppresses echo and hides the cursor while a picture is shown; typed text is kept for the next reader.
///
/// The terminal's mode and cursor are restored however the process ends or stops.
@MainActor
package protocol Keyboard: AnyObject {
    func turnOff()
    /// Turns it off again after the process was stopped, which restored the normal mode.
    func turnOffAgain()
    func turnOn()
}

@MainActor
package final class KeyboardEcho: Keyboard {
    /// The mode to restore; nil while echo is on.
    private var normalMode: TerminalMode?

    package init() {}

    package func turnOff() {
        // A background process would be stopped.
        guard normalMode == nil, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
        normalMode = TerminalMode.current()
        turnOffAgain()
    }

    package func turnOffAgain() {
        guard let normalMode else { return }
        normalMode.guardOnExit()
        normalMode.unechoed.apply()
        Terminal.showCursor(false)
    }

    package func turnOn() {
        guard let normalMode else { return }
        Terminal.showCursor(true)
        normalMode.apply()
        TerminalMode.endGuard()
        self.normalMode = nil
    }
}
