internal import CEditline
internal import Glibc

/// The terminal the process was started on: whether there is one, its size, its mode.
package enum Terminal {
    /// Whether a descriptor is a terminal.
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// The size of the terminal on standard output, else on standard input; 80 × 24 where neither knows.
    package static func size() -> TerminalSize {
        size(of: STDOUT_FILENO) ?? size(of: STDIN_FILENO) ?? TerminalSize(columns: 80, rows: 24)
    }

    /// The size of the terminal on a descriptor, or nil where it is no terminal or does not know its size.
    package static func size(of descriptor: Int32) -> TerminalSize? {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 else { return nil }
        guard window.ws_col > 1, window.ws_row > 0 else { return nil }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// Asks for the columns of the terminal on standard error; nil where there is none.
    static var errorWidth: (@MainActor () -> Int)? {
        guard isTerminal(STDERR_FILENO) else { return nil }
        return { size(of: STDERR_FILENO)?.columns ?? 80 }
    }

    /// Whether the terminal acts on escape sequences, going by `TERM`.
    static let understandsSequences: Bool = {
        guard let name = getenv("TERM") else { return false }
        return strcmp(name, "") != 0 && strcmp(name, "dumb") != 0
    }()

    /// Puts the terminal back into the mode it had before somebody began to type.
    ///
    /// Does nothing where it is in that mode. Safe in a signal handler, so a crash handler may call it; the
    /// signals that end a process by default call it already.
    package static func restore() {
        terminal_signals_restore()
    }

    /// Writes all of a text to standard output, past any buffer.
    ///
    /// What a closed output refuses is lost.
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count)
                if count > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                } else if count < 0, errno == EAGAIN {
                    var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&output, 1, -1)
                } else if count == 0 || errno != EINTR {
                    return
                }
            }
        }
    }
}

/// Columns and rows of a terminal, in character cells.
package struct TerminalSize: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}
