internal import AtriumKit
internal import CEditline

/// libedit, as far as the line editor uses it; all offsets are in UTF-8.
@MainActor
final class Editline {
    struct Line: Equatable {
        var text: String
        var cursor: Int

        var beforeCursor: Substring {
            text[..<text.utf8.index(text.startIndex, offsetBy: cursor)]
        }
    }

    private let editor: OpaquePointer

    /// Loads libedit, which takes 0.4 ms the first time.
    init(historySize: Int) throws(ShellError) {
        guard let editor = ceditline_create(Int32(historySize)) else {
            throw ShellError(
                "lineEditorUnavailable",
                "The line editor can't start: \(String(cString: ceditline_error())).",
                hint: "Install libedit (on Debian: apt install libedit2).")
        }
        self.editor = editor
    }

    isolated deinit {
        ceditline_destroy(editor)
    }

    var line: Line {
        let line = ceditline_get_line(editor)
        let bytes = UnsafeRawBufferPointer(start: line.text, count: line.length)
        return Line(text: String(decoding: bytes, as: UTF8.self), cursor: line.cursor)
    }

    func begin(prompt: EncodedPrompt) { ceditline_begin(editor, prompt.encoded) }

    func end() { ceditline_end(editor) }

    func resume() { ceditline_resume(editor) }

    func setPrompt(_ prompt: EncodedPrompt) { ceditline_set_prompt(editor, prompt.encoded) }

    /// Passes one key on, and returns whether it ended the line.
    @discardableResult
    func feed(_ key: [UInt8]) -> Bool {
        key.withUnsafeBytes { ceditline_feed(editor, $0.baseAddress, $0.count) }
    }

    /// Replaces the line; drawn by ``refresh()``.
    func replace(with text: String) { ceditline_replace(editor, text) }

    /// Replaces the text from an offset to the cursor; drawn by ``refresh()``.
    func replace(from start: Int, with text: String) {
        let before = line.beforeCursor
        let word = before[before.utf8.index(before.startIndex, offsetBy: start)...]
        ceditline_delete_before_cursor(editor, Int32(word.unicodeScalars.count))
        ceditline_insert(editor, text)
    }

    /// Moves the cursor to the end; drawn by ``refresh()``.
    func moveToEnd() {
        let line = line
        let scalars = line.text.unicodeScalars.count - line.beforeCursor.unicodeScalars.count
        ceditline_move_cursor(editor, Int32(scalars))
    }

    func refresh() { ceditline_refresh(editor) }

    /// Draws prompt and line on the empty row of the cursor.
    func redraw() { ceditline_redraw(editor) }

    func resize() { ceditline_resize(editor) }

    func beep() { ceditline_beep(editor) }

    func addHistory(_ line: String) { ceditline_add_history(editor, line) }
}

/// A prompt in libedit's form: escape sequences stand between two `\1`.
///
/// libedit draws a sequence with the character after it and drops one at the end, which is therefore moved before
/// the last character.
struct EncodedPrompt: Equatable {
    let encoded: String
    /// Without escape sequences, for counting cells.
    let visible: String
    let source: String

    init(_ source: String) {
        self.source = source
        var pieces = Self.pieces(of: source)
        if case .sequence(let last)? = pieces.last {
            pieces.removeLast()
            pieces.insert(.sequence(last), at: max(pieces.count - 1, 0))
            if pieces.count < 2 { pieces.append(.character(" ")) }
        }
        encoded = Self.merged(pieces)
        visible = String(String.UnicodeScalarView(pieces.compactMap(\.character)))
    }

    private enum Piece {
        case character(Unicode.Scalar)
        case sequence(String)

        var character: Unicode.Scalar? {
            if case .character(let scalar) = self { scalar } else { nil }
        }
    }

    /// Joins adjacent sequences: of two in a row libedit would draw the first without a character.
    private static func merged(_ pieces: [Piece]) -> String {
        var text = ""
        var sequence = ""
        for piece in pieces {
            switch piece {
            case .sequence(let more):
                sequence += more
            case .character(let scalar):
                if !sequence.isEmpty { text += "\u{1}\(sequence)\u{1}" }
                sequence = ""
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Splits off the sequences `ESC [ … letter`; drops other control characters.
    private static func pieces(of source: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = source.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1b}", rest.first == "[" {
                let end = rest.dropFirst().firstIndex { ("@"..."~").contains($0) } ?? rest.endIndex
                let sequence = rest[..<end] + rest[end...].prefix(1)
                rest = rest[end...].dropFirst()
                pieces.append(.sequence("\u{1b}" + String(Substring(sequence))))
            } else if scalar.value >= 0x20, scalar.value != 0x7f {
                pieces.append(.character(scalar))
            }
        }
        return pieces
    }
}

/// Computes the cursor's position on a terminal, wrapping as libedit does.
struct TextLayout {
    struct Position: Equatable {
        var row = 0
        var column = 0
    }

    let columns: Int

    func end(of text: some Sequence<Unicode.Scalar>) -> Position {
        var position = Position()
        for scalar in text {
            advance(&position, over: scalar)
        }
        return position
    }

    private func advance(_ position: inout Position, over scalar: Unicode.Scalar) {
        switch scalar {
        case "\n":
            position = Position(row: position.row + 1)
        case "\t":
            repeat { step(&position, by: 1) } while position.column % 8 != 0
        default:
            let width = Self.width(of: scalar)
            // A wide character never straddles the edge.
            if width == 2, scalar.value > 0xff, position.column + width > columns {
                position = Position(row: position.row + 1)
            }
            step(&position, by: width)
        }
    }

    private func step(_ position: inout Position, by width: Int) {
        position.column += width
        if position.column >= columns {
            position = Position(row: position.row + 1, column: position.column - columns)
        }
    }

    /// The cells libedit gives a character: two for the `^A` of a control character.
    private static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x20 || scalar.value == 0x7f { return 2 }
        let width = Int(ceditline_width(scalar.value))
        if width >= 0 { return width }
        return scalar.value > 0xffff ? 8 : 7  // it shows \U+XXXX for what cannot be printed
    }
}
