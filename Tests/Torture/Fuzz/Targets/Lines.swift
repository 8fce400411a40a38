@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumLineEditor
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
        try readQuoted(text)
        guard let commands = try? Lexer.commands(in: text) else { return }
        for command in commands {
            let written = Redaction.plain(command)
            let again = try? Lexer.commands(in: written)
            try require(
                again?.count == 1 && again?[0].words.map(\.text) == command.words.map(\.text),
                "quoting changes \(command.words.map(\.text)): \(written.debugDescription)")
            try keepEmptyWord(in: command, cut)
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

    /// An empty word stays a word, wherever it stands.
    private static func keepEmptyWord(in command: Command, _ cut: Int) throws {
        var texts = command.words.map(\.text)
        texts.insert("", at: cut % (texts.count + 1))
        let written = texts.map { Quoting.quote($0) }.joined(separator: " ")
        let again = try? Lexer.commands(in: written)
        try require(
            again?.count == 1 && again?[0].words.map(\.text) == texts,
            "an empty word is lost: \(written.debugDescription)")
    }

    /// Quoted text is one word, whatever is in it; nothing of it runs if the quote stays open.
    private static func readQuoted(_ text: String) throws {
        var quoted = ""
        for scalar in text.unicodeScalars where scalar != "'" { quoted.unicodeScalars.append(scalar) }
        let line = "a '" + quoted + "' b"
        let commands = try? Lexer.commands(in: line)
        try require(
            commands?.count == 1 && commands?[0].words.map(\.text) == ["a", quoted, "b"],
            "quoted text is cut: \(line.debugDescription)")
        let isRead = (try? Lexer.commands(in: "a '" + quoted)) != nil
        try require(!isRead, "an open quote is read: \(line.debugDescription)")
        let lines = InputLine.lines(of: Array((line + "\nc").utf8)).compactMap { try? $0.get() }
        try require(
            lines.count == 2 && lines.last == "c",
            "lines of quoted text are commands: \(line.debugDescription)")
    }
}
