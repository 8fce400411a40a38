internal import Glibc

/// Keeps what is typed from showing in a picture, which the terminal would otherwise put it into.
///
/// What is typed meanwhile is kept for whoever reads next; Ctrl-C works as always.
@MainActor
final class KeyboardEcho {
    /// The mode to go back to; nil while the echo is on.
    private var normalMode: TerminalMode?

    /// Turns the echo off; does nothing where standard input is no terminal, or not this process's to change.
    func turnOff() {
        // A process in the background would be stopped for trying.
        guard normalMode == nil, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
        normalMode = TerminalMode.current()
        turnOffAgain()
    }

    /// Turns it off once more, as after the process was stopped, when the terminal got its normal mode back.
    func turnOffAgain() {
        guard let normalMode else { return }
        normalMode.guardOnExit()
        normalMode.unechoed.apply()
    }

    /// Gives the terminal the mode back that it had.
    func turnOn() {
        guard let normalMode else { return }
        normalMode.apply()
        TerminalMode.endGuard()
        self.normalMode = nil
    }
}
