@_spi(Host) package import AtriumKit
package import AtriumLanguage
internal import AtriumText

/// A command whose arguments are values, as a program gives it; nothing in it is read as a line.
package struct Call {
    package enum Target {
        case command(Action)
        case screen(Link, action: String?)
        /// The answer to the open question.
        case answer(String)
    }

    /// The name used in errors.
    package let tool: String
    package let target: Target
    /// The arguments that it may have, and their values.
    var arguments: [ArgumentDescription] = []
    package var values = ArgumentValues()

    package init(tool: String, target: Target, arguments: [ArgumentDescription] = []) {
        (self.tool, self.target, self.arguments) = (tool, target, arguments)
    }

    /// The call as it would be typed, without secrets: for `jobs`, `why` and the record of a crash.
    var text: String {
        let names =
            switch target {
            case .command(let action): action.name.split(separator: " ").map(String.init)
            case .screen(let link, let action): [link.description, action].compactMap(\.self)
            case .answer(let answer): [answer]
            }
        let options = arguments.flatMap { argument in
            (values[argument.name]?.split(separator: "\0", omittingEmptySubsequences: false) ?? []).map {
                Word(text: "--\(argument.name)=\($0)", start: 0)
            }
        }
        let words = names.map { Word(text: $0, start: 0, isQuoted: true) } + options
        return Redaction.text(
            of: Command(words: words), arguments: arguments, words: names.count, marksSecrets: true)
    }
}

/// A command or call for an interpreter to run.
package enum Request {
    case command(Command)
    case call(Call)

    var tool: String? { if case .call(let call) = self { call.tool } else { nil } }
}
