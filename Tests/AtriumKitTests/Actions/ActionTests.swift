@_spi(Host) import AtriumKit
import Testing

private enum Shade: String, CaseIterable, ArgumentValue {
    case light, dark
}

/// A text with a form, whose only code for arguments is the name of its type.
private struct Month: RawRepresentable, ArgumentValue {
    static let argumentTypeName = "a month such as 09"
    let rawValue: String

    init?(rawValue: String) {
        guard rawValue.count == 2 else { return nil }
        self.rawValue = rawValue
    }
}

@Suite("Actions and their arguments")
@MainActor
struct ActionTests {
    /// The values that the action was performed with; empty if it was not performed.
    private final class Log {
        var lines: [String] = []
    }

    private let log = Log()

    private func perform<Value: ArgumentValue>(_ argument: Argument<Value>, _ text: String?) async throws {
        let action = Action("set", "Sets it", argument) { [log] value in
            log.lines.append("\(value)")
            return .updated
        }
        _ = try await action.perform(ArgumentValues(text.map { [argument.description.name: $0] } ?? [:]))
    }

    private func refusal<Value: ArgumentValue>(_ argument: Argument<Value>, _ text: String?) async
        -> ArgumentError?
    {
        let error = await #expect(throws: ArgumentError.self) { try await perform(argument, text) }
        #expect(error?.category == .validation)
        #expect(log.lines.isEmpty)
        return error
    }

    @Test("A type with a raw text takes what its initializer takes")
    func rawText() async throws {
        #expect(Month(argument: "09")?.argumentText == "09")
        #expect(
            await refusal(Argument<Month>("month"), "9")?.message
                == "'month' of 'set' must be a month such as 09, not '9'.")
    }

    @Test("Values are parsed according to the type of the argument")
    func values() async throws {
        try await perform(Argument<String>("text"), "a b")
        try await perform(Argument<Int>("count"), "-3")
        try await perform(Argument<Double>("ratio"), "2.5")
        try await perform(Argument<Bool>("flag"), "yes")
        try await perform(Argument<Bool>("flag"), "no")
        try await perform(Argument<Shade>("shade"), "dark")
        try await perform(Argument<Int?>("count"), "4")

        #expect(log.lines == ["a b", "-3", "2.5", "true", "false", "dark", "Optional(4)"])
    }

    @Test("An omitted argument takes its default, or nil if it is optional")
    func defaults() async throws {
        try await perform(Argument<Int>("count", default: 7), nil)
        try await perform(Argument<Int>("count", default: 7), "8")
        try await perform(Argument<String?>("text"), nil)
        try await perform(Argument<String?>("text", default: "x"), nil)

        #expect(log.lines == ["7", "8", "nil", #"Optional("x")"#])
    }

    @Test("A missing value is an error that says how to add it; the action does not run")
    func missing() async {
        let error = await refusal(Argument<Int>("count"), nil)

        #expect(error?.code == .missingArgument)
        #expect(error?.message == "'set' needs a value for 'count'.")
        #expect(error?.hint == "Add --count followed by a whole number.")
    }

    @Test("The hint for a missing secret suggests @env: and @file:")
    func missingSecret() async {
        let error = await refusal(Argument<String>("pin", isSecret: true), nil)

        #expect(error?.hint == "Add --pin @env:NAME or @file:PATH.")
    }

    @Test("A value of the wrong type is an error; the action does not run")
    func wrongType() async {
        let number = await refusal(Argument<Int>("count"), "many")
        let optional = await refusal(Argument<Double?>("ratio"), "half")
        let infinite = await refusal(Argument<Double>("ratio"), "inf")

        #expect(number?.code == .invalidArgument)
        #expect(number?.message == "'count' of 'set' must be a whole number, not 'many'.")
        #expect(optional?.message == "'ratio' of 'set' must be a number, not 'half'.")
        #expect(infinite?.message == "'ratio' of 'set' must be a number, not 'inf'.")
    }

    @Test("A value outside the choices is an error that lists them and suggests one; the action does not run")
    func choices() async {
        let shade = await refusal(Argument<Shade>("shade"), "drak")
        let flag = await refusal(Argument<Bool>("flag"), "true")
        let own = await refusal(Argument<String>("size", choices: ["small", "large"]), "medium")

        #expect(shade?.message == "'shade' of 'set' must be one of light, dark, not 'drak'.")
        #expect(shade?.hint == "Did you mean 'dark'?")
        #expect(flag?.message == "'flag' of 'set' must be one of yes, no, not 'true'.")
        #expect(flag?.hint == nil)
        #expect(own?.message == "'size' of 'set' must be one of small, large, not 'medium'.")
    }

    @Test("No message shows the value of a secret")
    func secrets() async {
        let pin = await refusal(Argument<Int>("pin", isSecret: true), "hunter2")
        let word = await refusal(Argument<String>("word", choices: ["a", "b"], isSecret: true), "hunter2")

        #expect(pin?.message == "'pin' of 'set' must be a whole number, not '…'.")
        #expect(word?.message == "'word' of 'set' must be one of a, b, not '…'.")
        #expect(word?.hint == nil)
    }

    @Test("An error that an action throws reaches the caller")
    func failure() async {
        let action = Action("fail", "Fails") { throw ExplainedFailure() }

        await #expect(throws: ExplainedFailure.self) { try await action.perform(ArgumentValues()) }
    }
}
