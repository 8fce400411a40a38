/// Writes words so that the ``Lexer`` reads them back.
enum Quoting {
    /// `word`, in quotes where it needs them.
    static func quote(_ word: String) -> String {
        let isPlain =
            !word.isEmpty && !word.hasPrefix("#")
            && !word.contains { $0.isWhitespace || $0.isNewline || "'\"\\;".contains($0) }
        guard !isPlain else { return word }
        guard word.contains("'") else { return "'\(word)'" }
        let escaped = word.map { "\"\\".contains($0) ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }
}
