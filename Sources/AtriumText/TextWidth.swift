internal import CTerminal

/// The width of text on a terminal, in columns.
///
/// A grapheme cluster has the width that Unicode gives it (UAX #11, UTS #51): one column, two for an
/// ideograph or an emoji, none for combining and control characters. Terminals differ in some sequences: skin
/// tones (tmux 3.3), families (xterm), signs with a variation selector. East Asian "ambiguous" characters are
/// narrow.
package enum TextWidth {
    package static func of(_ text: some StringProtocol) -> Int {
        if text.utf8.arePlain() { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    package static func of(_ character: Character) -> Int {
        if character.isASCII { return character >= " " && character != "\u{7F}" ? 1 : 0 }
        let scalars = character.unicodeScalars
        if isEmojiSequence(scalars) { return 2 }
        return scalars.reduce(0) { $0 + of($1) }
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x7F { return scalar.value < 0x20 ? 0 : 1 }
        let width = Int(terminal_width(scalar.value))
        if width >= 0 { return width }
        // Newer than the C library's tables.
        if scalar.properties.isEmojiPresentation { return 2 }
        return scalar.properties.generalCategory == .control ? 0 : 1
    }

    /// True if several scalars are one emoji: a flag, a keycap, a skin tone, a family, a sign as an emoji.
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

    package static func truncated(_ text: String, to width: Int) -> String {
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

    package static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - of(text)))
    }

    package static func wrapped(_ text: String, to width: Int) -> [String] {
        TextWrapper(width: width).lines(of: text)
    }
}
