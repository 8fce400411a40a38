internal import CEditline

/// How many terminal columns text takes.
enum TextWidth {
    /// The columns of `text`, a grapheme cluster at a time; control characters take none.
    static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        if scalars.contains(where: { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }) { return 2 }
        return scalars.map(of).max() ?? 0
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x7F { return scalar.value < 0x20 ? 0 : 1 }
        return max(0, Int(ceditline_width(scalar.value)))
    }

    /// `text` in at most `width` columns, its end replaced by `…` where it is longer.
    static func truncated(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        guard width > 0 else { return "" }
        var result = ""
        var used = 1
        for character in text {
            let columns = of(character)
            guard used + columns <= width else { break }
            result.append(character)
            used += columns
        }
        return result + "…"
    }

    /// `text` filled with blanks to `width` columns.
    static func padded(_ text: String, to width: Int, alignedRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - of(text)))
        return alignedRight ? blanks + text : text + blanks
    }

    /// `text` in lines of at most `width` columns, broken at blanks where there are any.
    static func wrapped(_ text: String, to width: Int) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { wrapLine($0, to: width) }
    }

    private static func wrapLine(_ line: Substring, to width: Int) -> [String] {
        var lines = [""]
        for word in line.split(separator: " ", omittingEmptySubsequences: true) {
            let separator = lines[lines.count - 1].isEmpty ? "" : " "
            if of(lines[lines.count - 1] + separator + word) <= width {
                lines[lines.count - 1] += separator + word
            } else {
                if !lines[lines.count - 1].isEmpty { lines.append("") }
                for character in word {
                    if of(lines[lines.count - 1]) + of(character) > width { lines.append("") }
                    lines[lines.count - 1].append(character)
                }
            }
        }
        return lines
    }
}
