@_spi(Host) package import AtriumKit
internal import AtriumRuntime

/// Why a word is not a command.
struct CommandError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?

    static func unknownCommand(_ name: String, known: [String]) -> CommandError {
        CommandError(
            code: .unknownCommand, message: "There is no command, action or link '\(short(name))'.",
            hint: nearest(name, among: known) ?? "'help' lists the commands, 'links' the screens.")
    }

    /// A word at a question that is none of its answers.
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

    /// A script can't be asked.
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

    /// A word behind `container` that is neither registered nor one of its commands.
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

    /// A word as messages show it.
    private static func short(_ word: String) -> String {
        let word = Link.shown(word)
        return word.count > 80 ? word.prefix(80) + "…" : word
    }

    private static func nearest(_ name: String, among known: [String]) -> String? {
        NearestName.of(name, among: known).map { "Did you mean '\($0)'?" }
    }
}

extension ErrorCode {
    /// A word is neither command nor action nor link.
    package static let unknownCommand: ErrorCode = "unknownCommand"
    /// A file does not hold what 'nav journal' prints.
    package static let badJournal: ErrorCode = "badJournal"
    /// An action asks before it is done, and nobody can answer.
    package static let confirmationNeeded: ErrorCode = "confirmationNeeded"
    /// A screen has no action of that name.
    package static let unknownAction: ErrorCode = "unknownAction"
}
