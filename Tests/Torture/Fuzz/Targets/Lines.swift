@testable import AtriumLanguage
@testable import AtriumLineEditor
@testable import AtriumShell
@testable import AtriumText

extension FuzzTarget {
    /// Lines of scripts and pipes, the keys of a terminal, and the words of commands.
    static let lines = FuzzTarget(name: "lines") { bytes in
        var choices = Choices(bytes)
        let cut = choices.byte()
        let input = Array(choices.rest)
        try readInPieces(input, cut)
        try readKeys(input, cut)
        let text = String(decoding: input, as: UTF8.self)
        try readPartial(text, cut)
        guard let commands = try? Lexer.commands(in: text) else { return }
        for command in commands {
            let written = Redaction.plain(command)
            let again = try? Lexer.commands(in: written)
            try require(
                again?.count == 1 && again?[0].words.map(\.text) == command.words.map(\.text),
                "quoting changes \(command.words.map(\.text)): \(written.debugDescription)")
            for (word, next) in zip(command.words, command.words.dropFirst()) {
                try require(word.start < next.start, "words are out of order")
            }
            _ = Redaction.text(of: command, arguments: nil, words: 1, marksSecrets: true)
        }
        var history = CommandHistory()
        history.add(text)
        var search = HistorySearch(original: "")
        search.append(String(text.prefix(3)), in: history)
        search.findOlder(in: history)
        search.removeLast(in: history)
        _ = (search.prompt, search.line(in: history))
    }

    /// Lines are the same however they arrive.
    private static func readInPieces(_ bytes: [UInt8], _ cut: Int) throws {
        var (whole, parts) = (LineSplitter(), LineSplitter())
        let expected = whole.add(bytes) + whole.finish()
        let position = bytes.isEmpty ? 0 : cut % bytes.count
        let found = parts.add(bytes[..<position]) + parts.add(bytes[position...]) + parts.finish()
        try require(
            expected == found,
            "lines depend on how they arrive, cut at \(position)")
    }

    /// Keys are the same however they arrive.
    private static func readKeys(_ bytes: [UInt8], _ cut: Int) throws {
        var (whole, parts) = (InputDecoder(), InputDecoder())
        whole.append(bytes)
        var (expected, found): ([InputDecoder.Event], [InputDecoder.Event]) = ([], [])
        while let event = whole.next() { expected.append(event) }
        let size = max(1, cut % 7)
        for start in stride(from: 0, to: bytes.count, by: size) {
            parts.append(bytes[start..<min(bytes.count, start + size)])
            while let event = parts.next() { found.append(event) }
        }
        try require(expected == found, "keys depend on how they arrive, in pieces of \(size)")
    }

    private static func readPartial(_ text: String, _ cut: Int) throws {
        let typed = String(decoding: text.utf8.prefix(cut), as: UTF8.self)
        let (words, _) = Lexer.partialCommand(typed)
        for word in words { try require(word.start <= typed.utf8.count, "a word starts behind the line") }
    }
}
