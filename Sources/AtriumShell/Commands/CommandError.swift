@_spi(Host) package import AtriumKit
internal import AtriumRuntime

/// Why a command can't be run.
struct CommandError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?

    static func unknownCommand(_ name: String, known: [String]) -> CommandError {
        CommandError(
            code: .unknownCommand, message: "There is no command, action or link '\(short(name))'.",
            hint: nearest(name, among: known) ?? "'help' lists the commands, 'links' the screens.")
    }

    static func noAnswer(_ name: String, answers: [String]) -> CommandError {
        CommandError(
            code: .unknownCommand, message: "'\(short(name))' is no answer to the question that is open.",
            hint: "Answer \(answers.joined(separator: " or ")), or leave it unanswered: back")
    }

    static func unknownAction(_ name: String, of link: String, known: [String]) -> CommandError {
        let list = known.isEmpty ? "It has none." : "It has \(known.joined(separator: ", "))."
        return CommandError(
            code: .unknownAction, message: "The screen '\(link)' has no action '\(short(name))'.",
            hint: nearest(name, among: known) ?? list)
    }

    static func unknownModule(_ name: String, known: [String]) -> CommandError {
        CommandError(
            code: .unknownModule, message: "There is no module '\(short(name))'.",
            hint: nearest(name, among: known) ?? "'modules' lists them.")
    }

    static func unanswered(_ question: String, of action: String) -> CommandError {
        CommandError(
            code: .confirmationNeeded, message: "'\(action)' asks before it is done: \(question)",
            hint: "In a script, add --yes to the command, or start the host with --yes.")
    }

    static func noJournal(_ path: String) -> CommandError {
        CommandError(
            code: .badJournal, message: "'\(short(path))' is not a journal of navigation.",
            hint: "atrium --json -c 'nav journal' > FILE")
    }

    static func notQuarantined(_ name: String) -> CommandError {
        CommandError(
            code: .notFound, message: "Module '\(short(name))' is not quarantined.",
            hint: "why \(short(name))")
    }

    static func notRegistered(_ name: String, known: [String], commands: [String]) -> CommandError {
        let command = NearestName.of(name, among: commands).map { "Did you mean 'container \($0)'?" }
        return CommandError(
            code: .notRegistered, message: "Nothing called '\(short(name))' is registered.",
            hint: nearest(name, among: known) ?? command ?? "'container' lists what is.")
    }

    static func noHelp(_ name: String, known: [String]) -> CommandError {
        CommandError(
            code: .notFound, message: "There is no help about '\(short(name))'.",
            hint: nearest(name, among: known) ?? "'help' lists the commands.")
    }

    static func otherEnvironment(
        _ environment: Environment, needed: Environment, what: String
    ) -> CommandError {
        CommandError(
            code: "wrongEnvironment",
            message: "\(what) in environment \(needed.rawValue) only; this is \(environment.rawValue).",
            hint: "atrium --env \(needed.rawValue)")
    }

    static func unknownService(_ name: String, known: [String]) -> CommandError {
        CommandError(
            code: .notFound, message: "There is no service '\(short(name))'.",
            hint: nearest(name, among: known) ?? "'mock' lists the services.")
    }

    static func noScenarios(_ service: String) -> CommandError {
        CommandError(
            code: .notFound,
            message:
                "The mock of \(service) has no scenarios: it was not built with 'mock(_:)' of its context.",
            hint: "mock")
    }

    static func badDelay(_ seconds: Double) -> CommandError {
        CommandError(
            code: .invalidArgument,
            message: "'delay' of 'mock set' must be from 0 to 3600 seconds, not '\(seconds.argumentText)'.",
            hint: "mock set SERVICE slow --delay 2")
    }

    static func badCount(_ count: Int) -> CommandError {
        CommandError(
            code: .invalidArgument, message: "'last' of 'mock calls' must be 1 or more, not '\(count)'.",
            hint: "mock calls --last 20")
    }

    private static func short(_ word: String) -> String {
        let word = Link.shown(word)
        return word.count > 80 ? word.prefix(80) + "…" : word
    }

    private static func nearest(_ name: String, among known: [String]) -> String? {
        NearestName.of(name, among: known).map { "Did you mean '\($0)'?" }
    }
}

extension ErrorCode {
    package static let unknownCommand: ErrorCode = "unknownCommand"
    package static let badJournal: ErrorCode = "badJournal"
    package static let confirmationNeeded: ErrorCode = "confirmationNeeded"
    package static let unknownAction: ErrorCode = "unknownAction"
}
