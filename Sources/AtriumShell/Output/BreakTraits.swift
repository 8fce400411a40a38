/// What a grapheme cluster means to the lines that text is broken into.
///
/// A small part of UAX #14, enough for sentences, paths, addresses and text that is written without blanks.
struct BreakTraits: OptionSet {
    let rawValue: UInt8

    /// A line may be broken at it, and is then without it.
    static let blank = BreakTraits(rawValue: 1)
    /// It belongs to a script that is written without blanks, a character a word or nearly so.
    static let ideograph = BreakTraits(rawValue: 2)
    /// A line should not end behind it.
    static let opens = BreakTraits(rawValue: 4)
    /// A line should not begin with it.
    static let closes = BreakTraits(rawValue: 8)
    /// A part of a path, of an address or of a list may end with it.
    static let separator = BreakTraits(rawValue: 16)
}

extension BreakTraits {
    init(_ character: Character) {
        // A blank that carries a mark is not left out at the end of a line.
        self = character.unicodeScalars.first.map { BreakTraits($0) } ?? []
        if character != " " { remove(.blank) }
    }

    init(_ scalar: Unicode.Scalar) {
        switch scalar {
        case " ": self = .blank
        case "0"..."9", "A"..."Z", "a"..."z": self = []
        case ".", ",", ":", ";", "?": self = [.closes, .separator]
        case "/", "\\", "-", "_", "&", "=", "@", "#", "+", "|": self = .separator
        case "!", ")", "]", "}", "…", "”", "’": self = .closes
        case "(", "[", "{", "“", "‘": self = .opens
        case "'", "\"": self = [.opens, .closes]
        case "（", "［", "｛", "「", "『", "【", "〈", "《", "〔": self = [.ideograph, .opens]
        case "）", "］", "｝", "」", "』", "】", "〉", "》", "〕", "、", "。", "，", "．", "：", "；", "！", "？", "ー",
            "々":
            self = [.ideograph, .closes]
        // Signs, kana, bopomofo and ideographs; full-width forms; emoji; the later planes of ideographs.
        // Hangul is written with blanks.
        case "\u{2E80}"..."\u{312F}", "\u{3190}"..."\u{4DBF}", "\u{4E00}"..."\u{A4CF}",
            "\u{F900}"..."\u{FAFF}", "\u{FF00}"..."\u{FFEF}", "\u{1F300}"..."\u{1FAFF}",
            "\u{20000}"..."\u{3FFFF}":
            self = .ideograph
        default: self = []
        }
    }
}
