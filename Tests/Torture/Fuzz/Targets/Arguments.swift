@_spi(Host) import AtriumKit

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumText

private enum Colour: String, CaseIterable, ArgumentValue { case red, green }

extension FuzzTarget {
    private static let secret = "Tr0ub4dor&3"

    /// An action with an argument of each type; both find the same secret.
    static let arguments = FuzzTarget(name: "arguments") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let commands = try? Lexer.commands(in: "do " + text) else { return }
        try wait {
            for command in commands { try await read(command, of: actions(), isAlone: isAlone(in: text)) }
        }
    }

    private static func isAlone(in text: String) -> Bool {
        text.ranges(of: secret).count == 1
    }

    @MainActor
    private static func actions() -> [Action] {
        let numbers = Action(
            "do", "Does it", Argument<Int>("count", default: 1), Argument<Double?>("size"),
            Argument<Bool>("fast", default: false), Argument<Colour>("colour", default: .red)
        ) { count, size, fast, colour in .updated("\(count) \(size ?? 0) \(fast) \(colour)") }
        let texts = Action(
            "do", "Does it", Argument<String>("email"), Argument<String>("password", isSecret: true),
            Argument<String?>("note")
        ) { email, password, note in .updated("\(email) \(note ?? "-")") }
        let list = Action("do", "Does it", Argument<[String]>("names")) {
            .updated($0.joined(separator: "\0"))
        }
        return [numbers, texts, list, Action("do", "Does it") { .updated }]
    }

    @MainActor
    private static func read(_ command: Command, of actions: [Action], isAlone: Bool) async throws {
        for action in actions {
            let shown = Redaction.text(
                of: command, arguments: action.arguments, words: 1, marksSecrets: true)
            let kept = Redaction.text(
                of: command, arguments: action.arguments, words: 1, marksSecrets: false)
            do {
                let values = try ArgumentReader.read(command.words.dropFirst(), for: action)
                let password = values["password"] ?? ""
                let takesSecret = password.contains(secret) && !Redaction.isReference(password)
                if takesSecret, isAlone {
                    try require(!shown.contains(secret), "the secret is shown: \(shown)")
                    try require(!kept.contains(secret), "the secret is kept: \(kept)")
                }
                let result = try await action.perform(values)
                if action.arguments.first?.isList == true {
                    try keepElements(command.words.dropFirst(), in: result.message)
                }
            } catch let error as any ExplainedError {
                try require(!error.message.isEmpty, "an error says nothing")
                let isNamed = command.words.contains { $0.text == "--password=" + secret }
                if isNamed, isAlone, action.arguments.takeSecrets {
                    try require(
                        !error.message.contains(secret), "an error shows the secret: \(error.message)")
                    try require(!shown.contains(secret), "a refused command shows the secret: \(shown)")
                }
            }
        }
    }

    /// No element of a list is lost, not even an empty one.
    private static func keepElements(_ words: ArraySlice<Word>, in message: String?) throws {
        let areElements = words.allSatisfy { !$0.isOption && !$0.text.utf8.contains(0) }
        guard areElements else { return }
        let texts = words.map(\.text)
        try require(message == texts.joined(separator: "\0"), "an element is lost: \(texts)")
    }
}
