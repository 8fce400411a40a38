extension LineEditor {
    /// Tab: completes as much of the word as is certain; where nothing is, shows what it could become.
    func complete() {
        let line = editline.line
        let list = completions(line.text, line.cursor)
        guard let only = list.candidates.first, (0...line.cursor).contains(list.start) else {
            return editline.beep()
        }
        let word = String(line.beforeCursor.utf8.dropFirst(list.start)) ?? ""
        if list.candidates.count == 1 {
            replaceWord(from: list.start, with: only.isFinal ? only.text + " " : only.text)
        } else if list.commonPrefix.utf8.count > word.utf8.count {
            replaceWord(from: list.start, with: list.commonPrefix)
        } else {
            printBelow(CandidateTable(candidates: list.candidates, size: Terminal.size()).lines)
        }
    }

    private func replaceWord(from start: Int, with text: String) {
        editline.replace(from: start, with: text)
        editline.refresh()
    }
}
