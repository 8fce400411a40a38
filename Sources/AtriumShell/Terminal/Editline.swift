internal import CEditline

/// libedit, as far as the line editor uses it.
///
/// All positions are in UTF-8.
@MainActor
final class Editline {
    /// What has been typed and where in it the cursor stands.
    struct Line: Equatable {
        var text: String
        var cursor: Int

        /// What stands before the cursor.
        var beforeCursor: Substring {
            text[..<text.utf8.index(text.startIndex, offsetBy: cursor)]
        }
    }

    private let editor: OpaquePointer

    /// Loads libedit, which takes some 0.4 ms the first time, and reads what it knows about the terminal.
    init(historySize: Int) throws(LineEditorError) {
        guard let editor = ceditline_create(Int32(historySize)) else {
            throw .unavailable(String(cString: ceditline_error()))
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

    /// Hands one key over.
    ///
    /// - Returns: Whether it ended the line.
    @discardableResult
    func feed(_ key: [UInt8]) -> Bool {
        key.withUnsafeBytes { ceditline_feed(editor, $0.baseAddress, $0.count) }
    }

    /// Puts a text in the place of the line, the cursor at its end.
    ///
    /// Drawn by ``refresh()``.
    func replace(with text: String) { ceditline_replace(editor, text) }

    /// Puts a text in the place of what stands from an offset to the cursor.
    ///
    /// Drawn by ``refresh()``.
    func replace(from start: Int, with text: String) {
        let before = line.beforeCursor
        let word = before[before.utf8.index(before.startIndex, offsetBy: start)...]
        ceditline_delete_before_cursor(editor, Int32(word.unicodeScalars.count))
        ceditline_insert(editor, text)
    }

    /// Moves the cursor behind the last character.
    ///
    /// Drawn by ``refresh()``.
    func moveToEnd() {
        let line = line
        let scalars = line.text.unicodeScalars.count - line.beforeCursor.unicodeScalars.count
        ceditline_move_cursor(editor, Int32(scalars))
    }

    /// Draws what changed.
    func refresh() { ceditline_refresh(editor) }

    /// Draws prompt and line on the empty row the cursor is in.
    func redraw() { ceditline_redraw(editor) }

    func resize() { ceditline_resize(editor) }

    func beep() { ceditline_beep(editor) }

    func addHistory(_ line: String) { ceditline_add_history(editor, line) }
}
