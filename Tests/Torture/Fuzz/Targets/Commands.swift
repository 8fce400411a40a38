@_spi(Host) import AtriumKit
import AtriumNavigation
import FoundationEssentials

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumLineEditor
@testable import AtriumText

extension FuzzTarget {
    /// Whole lines at the prompt of a host with one module: completed, performed, printed.
    static let commands = FuzzTarget(name: "commands") { bytes in
        var choices = Choices(bytes)
        let (cursor, width) = (choices.byte(), choices.byte())
        let text = String(decoding: choices.rest, as: UTF8.self)
        try wait { try await perform(text, cursor: cursor, width: width) }
    }

    /// These would work on files, run code, or take long.
    private static let leftOut: Set = ["module", "lock", "api", "verify", "swift"]

    /// Help about a type would run the toolchain.
    @MainActor
    private static func leaves(out command: Command) -> Bool {
        leftOut.contains(command.words[0].text)
            || command.words.dropFirst().contains { Help.mayBeDeclared($0.text) }
    }

    @MainActor
    private static func perform(_ text: String, cursor: Int, width: Int) async throws {
        let host = try TestHost()
        let completer = Completer(interpreter: host.interpreter)
        for line in text.split(separator: "\n", maxSplits: 8).map(String.init) {
            let list = completer.completions(of: line, at: cursor)
            try require(list.start <= line.utf8.count + cursor, "a completion starts behind the line")
            _ = host.interpreter.text(ofUnreadable: line)
            guard let commands = try? Lexer.commands(in: line) else { continue }
            for command in commands where !leaves(out: command) {
                let reply = await host.interpreter.run(command)
                try check(reply, width: 2 + width % 160)
                if reply.endsSession { return }
            }
        }
        _ = host.coordinator.archive()
    }

    @MainActor
    private static func check(_ reply: Reply, width: Int) throws {
        var object: JSONObject = ["command": .string(reply.command)]
        switch reply.outcome {
        case .done(let output):
            if let content = output.content {
                try checkText(content, width: width)
                object["result"] = .object(content.json)
            }
        case .failed(let error):
            try require(!error.message.isEmpty, "an error says nothing")
            object["error"] = .object(error.json)
        }
        try checkJSON(object)
    }

    static func checkText(_ content: Content, width: Int) throws {
        let text = TextRenderer(width: width, style: TextStyle(isColored: false)).render(content)
        try require(
            text.unicodeScalars.allSatisfy {
                $0 == "\n" || $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value)
            },
            "a control character is shown: \(text.debugDescription)")
        // Below 20 columns a line may be wider.
        guard width >= 20 else { return }
        for line in text.split(separator: "\n") {
            try require(
                TextWidth.of(line) <= width, "a line is wider than \(width): \(line.debugDescription)")
        }
    }

    static func checkJSON(_ object: JSONObject) throws {
        let line = object.line
        try require(line.utf8.last == 10 && !line.dropLast().utf8.contains(10), "JSON has several lines")
        let again = try? JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
        try require(again != nil, "the reply is not JSON: \(line.debugDescription)")
    }
}
