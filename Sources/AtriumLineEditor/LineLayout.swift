internal import AtriumText

/// The rows of a prompt and the line being typed, on a terminal with a number of columns.
///
/// Terminals differ in the cells of some characters: families, flags, skin tones, marks. After such a
/// character the cursor is set to its column and the rest of the row erased, so that whatever the terminal
/// made of it, all that follows has its column.
struct LineLayout {
    struct Position: Equatable {
        var row = 0
        var column = 0
    }

    struct Row: Equatable {
        /// The text that draws the row, on an empty one.
        fileprivate(set) var text = ""
        /// True if the terminal itself continues in the next row; it then joins the two again when it is resized
        /// or copied from.
        fileprivate(set) var isWrapped = false
        fileprivate(set) var width = 0
    }

    private(set) var rows = [Row()]
    private(set) var end = Position()
    private(set) var cursor = Position()
    private let columns: Int

    init(prompt: String, columns: Int) {
        self.columns = columns
        for character in prompt { append(character) }
        cursor = end
    }

    /// Lays out a line; each row after a line end begins with `continuation`.
    init(
        prompt: String, _ characters: ArraySlice<Character>, cursor index: Int, continuation: String,
        columns: Int
    ) {
        self.init(prompt: prompt, columns: columns)
        for (offset, character) in zip(characters.indices, characters) {
            if offset == index { cursor = end }
            guard character == "\n" else {
                append(character)
                continue
            }
            breakRow()
            for character in continuation { append(character) }
        }
        if index >= characters.endIndex { cursor = end }
    }

    private static let tabStop = 8

    private mutating func append(_ character: Character) {
        if character == "\t" {
            repeat { append(Glyph(text: " ")) } while end.column % Self.tabStop != 0
        } else {
            for glyph in Glyph.glyphs(of: character) { append(glyph) }
        }
    }

    private mutating func append(_ glyph: Glyph) {
        let width = min(glyph.width, columns)
        if end.column + width > columns { breakRow() }
        let after = end.column + width
        if glyph.isCertain {
            rows[end.row].text += glyph.text
        } else {
            // It is not drawn where the terminal would wrap.
            if end.column == 0, end.row > 0 { rows[end.row - 1].isWrapped = false }
            let mayWrap = end.column + 2 * glyph.text.unicodeScalars.count > columns
            rows[end.row].text += mayWrap ? "\u{1B}[?7l\(glyph.text)\u{1B}[?7h" : glyph.text
            if after < columns { rows[end.row].text += "\u{1B}[\(after + 1)G\u{1B}[K" }
        }
        (end.column, rows[end.row].width) = (after, after)
        if after == columns { breakRow(isWrapped: glyph.isCertain) }
    }

    private mutating func breakRow(isWrapped: Bool = false) {
        rows[end.row].isWrapped = isWrapped
        rows.append(Row())
        end = Position(row: end.row + 1)
    }
}

/// A drawn character, or a part of one that is drawn as several, such as `^A`.
struct Glyph {
    var text: String
    var width = 1
    /// True if every terminal gives it this width.
    var isCertain = true

    /// A control character is drawn as `^A`, and one that has no cell as U+FFFD.
    static func glyphs(of character: Character) -> [Glyph] {
        if let code = character.asciiValue, code >= 0x20, code != 0x7F {
            return [Glyph(text: String(character))]
        }
        let scalars = character.unicodeScalars
        guard let first = scalars.first, first.value >= 0x20, first.value != 0x7F else {
            return scalars.flatMap { scalar in
                let letter = Character(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value ^ 0x40)))
                return [Glyph(text: "^"), Glyph(text: String(letter))]
            }
        }
        let width = TextWidth.of(character)
        guard width > 0 else { return [Glyph(text: "\u{FFFD}", isCertain: false)] }
        let isCertain = scalars.count == 1 && first.properties.generalCategory.isLetter
        return [Glyph(text: String(character), width: width, isCertain: isCertain)]
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isLetter: Bool {
        switch self {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }
}
