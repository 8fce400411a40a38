internal import CEditline

/// How many terminal columns text takes.
///
/// A grapheme cluster takes what Unicode gives it (UAX #11 for the characters, UTS #51 for sequences of
/// emoji): one column, two for an ideograph or an emoji, none for what only combines or controls. A single
/// character takes what the line editor gives it.
///
/// Terminals agree on characters but not on every sequence: some show a skin tone beside its person
/// (tmux 3.3), the people of a family one by one (xterm), or a sign with a variation selector as narrow as
/// without it. East Asian "ambiguous" characters are narrow here, and wide on a terminal that is told so.
enum TextWidth {
    /// The columns of `text`, a grapheme cluster at a time; control characters take none.
    static func of(_ text: some StringProtocol) -> Int {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    static func of(_ character: Character) -> Int {
        if character.isASCII { return character >= " " && character != "\u{7F}" ? 1 : 0 }
        let scalars = character.unicodeScalars
        if isEmojiSequence(scalars) { return 2 }
        return scalars.reduce(0) { $0 + of($1) }
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x7F { return scalar.value < 0x20 ? 0 : 1 }
        let width = Int(ceditline_width(scalar.value))
        if width >= 0 { return width }
        // What is newer than the C library's tables is shown all the same.
        if scalar.properties.isEmojiPresentation { return 2 }
        return scalar.properties.generalCategory == .control ? 0 : 1
    }

    /// Whether several scalars are shown as one emoji: a flag, a keycap, a skin tone on a person, people
    /// that are joined, or a sign that is asked to be an emoji.
    private static func isEmojiSequence(_ scalars: Character.UnicodeScalarView) -> Bool {
        guard let first = scalars.first, first.properties.isEmoji else { return false }
        var previous = first
        for scalar in scalars.dropFirst() {
            switch scalar {
            case "\u{FE0F}": return true
            case "\u{1F3FB}"..."\u{1F3FF}" where previous.properties.isEmojiModifierBase: return true
            case "\u{1F1E6}"..."\u{1F1FF}": return true
            default: if previous == "\u{200D}", scalar.properties.isEmoji { return true }
            }
            previous = scalar
        }
        return false
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
        let missing = width - of(text)
        guard missing > 0 else { return text }
        let blanks = String(repeating: " ", count: missing)
        return alignedRight ? blanks + text : text + blanks
    }

    /// `text` in lines of at most `width` columns, broken at blanks where there are any.
    static func wrapped(_ text: String, to width: Int) -> [String] {
        TextWrapper(width: width).lines(of: text)
    }
}
