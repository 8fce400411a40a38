import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumLineEditor
@testable import AtriumText

@Suite("InputDecoder")
struct InputDecoderTests {
    private func events(_ chunks: [String]) -> [InputDecoder.Event] {
        var decoder = InputDecoder()
        return chunks.flatMap { chunk in
            decoder.append(chunk.utf8)
            return Array(sequence(state: ()) { _ in decoder.next() })
        }
    }

    private func key(_ text: String) -> InputDecoder.Event { .key(Array(text.utf8)) }
    private func pasted(_ text: String) -> InputDecoder.Event { .pasted(Array(text.utf8)) }

    @Test("A key is a character or a whole escape sequence")
    func wholeKeys() {
        let keys = ["a", "é", "你", "😀", "\u{1b}[A", "\u{1b}[1;5C", "\u{1b}OP", "\u{1b}[[A", "\u{1b}b", "\r"]

        #expect(events([keys.joined()]) == keys.map(key))
    }

    @Test(
        "An incomplete key waits for its remaining bytes",
        arguments: ["\u{1b}[1;5C", "\u{1b}[[A", "\u{1b}b", "\u{1b}\u{1b}[D", "\u{16}\u{1}", "\u{18}\u{12}"])
    func halves(_ text: String) {
        var decoder = InputDecoder()
        for byte in text.utf8.dropLast() {
            decoder.append([byte])
            #expect(decoder.next() == nil)
        }

        decoder.append([text.utf8.last!])

        #expect(decoder.next() == key(text))
    }

    @Test("A character can arrive byte by byte")
    func splitCharacter() {
        var decoder = InputDecoder()
        decoder.append("你".utf8.prefix(2))
        #expect(decoder.next() == nil)

        decoder.append("你".utf8.suffix(1))

        #expect(decoder.next() == key("你"))
    }

    @Test("Ctrl-C after the start of a sequence is Ctrl-C")
    func interruptsSequence() {
        #expect(events(["\u{1b}", "\u{3}"]) == [key("\u{3}")])
        #expect(events(["\u{16}", "\u{3}"]) == [key("\u{3}")])
    }

    @Test(
        "A sequence that is too long is no key, whether it arrives at once or byte by byte",
        arguments: [30, 31, 40])
    func longSequence(_ count: Int) {
        let text = "\u{1b}[" + String(repeating: "1", count: count) + "A"
        let atOnce = events([text])

        #expect(atOnce == events(text.map(String.init)))
        #expect((atOnce == [key(text)]) == (count < 31))
    }

    @Test("Bytes that are not UTF-8 are dropped")
    func invalidBytes() {
        var decoder = InputDecoder()
        decoder.append([0xff, 0xc0, 0x80, UInt8(ascii: "a"), 0xe4, UInt8(ascii: "b"), 0xed, 0xa0, 0x80])

        #expect(decoder.next() == key("a"))
        #expect(decoder.next() == key("b"))
        #expect(decoder.next() == nil)
    }

    @Test("Pasted text has no control characters other than tabs and line ends")
    func paste() {
        let found = events(["\u{1b}[200~a\tb\u{3}\r", "é\u{1b}[A\u{1b}[201~\t"])

        #expect(found == [pasted("a"), pasted("\t"), pasted("b"), pasted("\r"), pasted("é"), key("\t")])
    }
}

@Suite("Lists of completions")
struct CompletionListTests {
    private func list(_ words: [String]) -> CompletionList {
        CompletionList(start: 0, candidates: words.map { CompletionCandidate(text: $0) })
    }

    @Test("The common prefix is the longest text that all candidates begin with")
    func commonPrefix() {
        #expect(list(["list", "listen", "lists"]).commonPrefix == "list")
        #expect(list(["größe", "gräte"]).commonPrefix == "gr")
        #expect(list(["a", "b"]).commonPrefix == "")
        #expect(list(["only"]).commonPrefix == "only")
        #expect(list([]).commonPrefix == "")
    }

    @Test("Candidates without summaries are in columns, read downwards")
    func columns() {
        let candidates = (1...7).map { CompletionCandidate(text: "item-\($0)") }
        let table = CandidateTable(candidates: candidates, size: TerminalSize(columns: 26, rows: 24))

        #expect(table.lines == ["item-1  item-4  item-7", "item-2  item-5", "item-3  item-6"])
    }

    @Test("Summaries are beside their candidates, and are truncated or omitted to fit the width")
    func summaries() {
        let candidates = [
            CompletionCandidate(text: "list", summary: "Lists all there is to be listed"),
            CompletionCandidate(text: "größe"),
        ]

        #expect(
            CandidateTable(candidates: candidates, size: TerminalSize(columns: 30, rows: 24)).lines
                == ["list   Lists all there is to…", "größe"])
        #expect(
            CandidateTable(candidates: candidates, size: TerminalSize(columns: 15, rows: 24)).lines
                == ["list", "größe"])
    }

    @Test("A list with more rows than the terminal ends with the number of hidden candidates")
    func tooMany() {
        let candidates = (1...50).map { CompletionCandidate(text: "item-\($0)") }
        let table = CandidateTable(candidates: candidates, size: TerminalSize(columns: 10, rows: 6))

        #expect(table.lines == ["item-1", "item-2", "item-3", "… and 47 more"])
    }
}

@Suite("Command history")
struct CommandHistoryTests {
    @Test("Empty lines, repeated lines and lines with control characters are not added")
    func adds() {
        var history = CommandHistory()

        let added = ["one", "one", "  ", "a\u{1b}[2J", "two\nrows", "one"].map { history.add($0) }

        #expect(added == [true, false, false, false, true, true])
        #expect(history.lines == ["one", "two\nrows", "one"])
    }

    @Test("A full history drops the oldest lines")
    func capacity() {
        let history = CommandHistory((1...1200).map(String.init))

        #expect(history.lines.count == 1000)
        #expect(history.lines.first == "201")
    }

    @Test("A search goes to older lines, and back to the typed line")
    func search() {
        let history = CommandHistory(["open orders", "list", "open users"])
        var search = HistorySearch(original: "typed")

        search.append("op", in: history)
        #expect(search.line(in: history) == "open users")
        search.findOlder(in: history)
        #expect(search.line(in: history) == "open orders")
        search.findOlder(in: history)
        #expect(search.prompt == "(not found: 'op') ")
        #expect(search.line(in: history) == "open orders")
        search.removeLast(in: history)
        #expect(search.line(in: history) == "open users")
        search.removeLast(in: history)
        #expect(search.line(in: history) == "typed")
        #expect(search.prompt == "(search: '') ")
    }
}

@Suite("History file")
struct HistoryFileTests {
    /// Runs a test with a path at which no file exists.
    private func withPath(_ body: (String) throws -> Void) rethrows {
        var template = Array("/tmp/atrium-history-XXXXXX".utf8CString)
        let directory = String(cString: mkdtemp(&template))
        defer {
            unlink(directory + "/history")
            rmdir(directory + "/history")
            rmdir(directory)
        }
        try body(directory + "/history")
    }

    private func write(_ bytes: [UInt8], to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        _ = Glibc.write(descriptor, bytes, bytes.count)
        close(descriptor)
    }

    private func mode(of path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("Lines are loaded in the next run; only the owner can access the file")
    func roundTrip() {
        withPath { path in
            HistoryFile(path: path).append("one")
            HistoryFile(path: path).append("größe 你好")

            #expect(HistoryFile(path: path).load().lines == ["one", "größe 你好"])
            #expect(mode(of: path) == 0o600)
        }
    }

    @Test("An entry of several rows is one entry in the next run, also when the file was rewritten")
    func rows() {
        withPath { path in
            let file = HistoryFile(path: path, limit: 100)
            for number in 1...20 { file.append("line \(number)") }
            file.append("one\n\n  two\n")

            #expect(file.load().lines.suffix(2) == ["line 20", "one\n\n  two\n"])
            file.append("last")
            #expect(file.load().lines.suffix(2) == ["one\n\n  two\n", "last"])
        }
    }

    @Test("Appending to a file that others can read restricts it to its owner")
    func tightens() {
        withPath { path in
            write(Array("old\n".utf8), to: path)

            HistoryFile(path: path).append("new")

            #expect(mode(of: path) == 0o600)
            #expect(HistoryFile(path: path).load().lines == ["old", "new"])
        }
    }

    @Test("A file that has another name too keeps its permissions, and one behind a link is not touched")
    func others() {
        withPath { path in
            let other = path + ".other"
            write(Array("old\n".utf8), to: other)
            defer { unlink(other) }
            chmod(other, 0o644)

            symlink(other, path)
            HistoryFile(path: path).append("linked")
            unlink(path)
            link(other, path)
            HistoryFile(path: path).append("new")

            #expect(mode(of: other) == 0o644)
            #expect(HistoryFile(path: path).load().lines == ["old", "new"])
        }
    }

    @Test("Damaged lines are skipped, and the others are loaded")
    func damage() {
        withPath { path in
            write(Array("good\n".utf8) + [0xff, 0xfe, 0x0a, 0x00, 0x0a] + Array("better".utf8), to: path)

            #expect(HistoryFile(path: path).load().lines == ["good", "better"])
        }
    }

    @Test("Loading a file with too many lines rewrites it with the latest ones")
    func trims() {
        withPath { path in
            write(Array((1...1500).map { "line \($0)\n" }.joined().utf8), to: path)

            let first = HistoryFile(path: path).load()
            let second = HistoryFile(path: path).load()

            #expect(first.lines.count == 1000 && first.lines.first == "line 501")
            #expect(second == first)
            #expect(mode(of: path) == 0o600)
        }
    }

    @Test("The file never grows above what is read again: the newest lines stay")
    func limit() {
        withPath { path in
            let file = HistoryFile(path: path, limit: 100)

            for number in 1...40 { file.append("line \(number)") }
            file.append(String(repeating: "x", count: 60))
            let loaded = file.load { Issue.record("\($0)") }

            #expect(loaded.lines.last == "line 40")
            #expect(loaded.lines.count >= 5)
            #expect(contents(path).count <= 100)
        }
    }

    @Test("A file that can't be read is told, and stays")
    func unreadable() {
        withPath { path in
            HistoryFile(path: path).append(String(repeating: "x", count: 30))
            var problems: [String] = []

            let file = HistoryFile(path: path, limit: 20)
            #expect(file.load { problems.append($0.code.rawValue) } == CommandHistory())
            file.append("new")

            #expect(problems == ["stateUnreadable"])
            #expect(contents(path).count == 31)
        }
    }

    @Test("A path that is not a regular file is not written, and stays; loading reports it")
    func odd() {
        for make in [
            { mkdir($0, 0o700) }, { mkfifo($0, 0o600) }, { symlink("nothing", $0) }, { symlink($0, $0) },
        ] as [(String) -> CInt] {
            withPath { path in
                _ = make(path)
                var problems: [String] = []

                HistoryFile(path: path).append("line")
                let loaded = HistoryFile(path: path).load { problems.append($0.hint ?? "") }
                HistoryFile(path: path).append("line")

                #expect(loaded == CommandHistory())
                #expect(problems == ["Move it away to start without it."])
                var status = stat()
                #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG)
                unlink(path)
                rmdir(path)
            }
        }
        #expect(HistoryFile(path: "/nonexistent/history").load() == CommandHistory())
    }

    @Test("Up goes through the lines that begin with what was typed, Down back to it")
    func walk() {
        let history = CommandHistory(["open orders", "list", "open users", "reopen", "open users"])
        var walk = HistoryWalk("open ")

        #expect(walk.older(in: history) == "open users")
        #expect(walk.older(in: history) == "open orders")
        #expect(walk.older(in: history) == nil)
        #expect(walk.newer(in: history) == "open users")
        #expect(walk.newer(in: history) == "open ")
        #expect(walk.newer(in: history) == nil)
    }
}
