/// Writes words so that the ``Lexer`` reads them back.
enum Quoting {
    /// `word`, in quotes where it needs them.
    static func quote(_ word: String) -> String {
        let scalars = word.unicodeScalars
        let isPlain =
            !word.isEmpty && scalars.first != "#"
            && !scalars.contains { $0.properties.isWhitespace || special.contains($0) }
        return isPlain ? word : inQuotes(word)
    }

    /// A word as it was typed: in quotes also where only they make it a value.
    static func quote(_ word: Word) -> String {
        word.isQuoted && word.text.hasPrefix("--") ? inQuotes(word.text) : quote(word.text)
    }

    private static let special: Set<Unicode.Scalar> = ["'", "\"", "\\", ";"]

    private static func inQuotes(_ word: String) -> String {
        guard word.unicodeScalars.contains("'") else { return "'\(word)'" }
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in word.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
