/// What somebody did at the prompt.
package enum LineInput: Equatable, Sendable {
    /// Enter: the line typed, without its end.
    case line(String)
    /// Ctrl-C: what was typed is dropped.
    case interrupted
    /// Ctrl-D on an empty line, or the terminal is gone.
    case endOfInput
}
