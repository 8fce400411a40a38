@_spi(Host) package import AtriumKit
internal import AtriumText

/// Assigns the words after an action's name to its arguments.
///
/// `--name VALUE` and `--name=VALUE` by name, other words in the order of declaration; all words after `--`
/// are values. A switch may stand alone.
package struct ArgumentReader {
    private let action: Action
    /// The words typed for the action: `entities create` from anywhere.
    private let name: String
    /// False if words that look like options are values, as in an assertion.
    private let takesOptions: Bool
    private var values = ArgumentValues()
    private var given: Set<String> = []
    package static let longestSecret = 64 * 1024

    package static func read(
        _ words: some Sequence<Word>, for action: Action, called name: String? = nil,
        takesOptions: Bool = true
    ) throws -> ArgumentValues {
        var reader = ArgumentReader(action: action, name: name ?? action.name, takesOptions: takesOptions)
        try reader.read(Array(words))
        return reader.values
    }

    /// Resolves references in typed or called values: a secret may be `@env:NAME` or `@file:PATH`; paths are
    /// relative to the front end's folder.
    @MainActor
    package static func resolve(
        _ values: inout ArgumentValues, of action: Action, path: (String) throws -> String,
        file: (String) async throws -> [UInt8], environment: (String) async throws -> String?
    ) async throws {
        for argument in action.arguments {
            guard let text = values[argument.name] else { continue }
            if argument.isSecret, text.hasPrefix("@env:") {
                let name = String(text.dropFirst(5))
                guard let value = try await environment(name) else {
                    throw ArgumentError(
                        .invalidArgument,
                        "The environment has no variable '\(name.shortened)' for '--\(argument.name)'.",
                        hint: "Set it before the host is started, or use @file:PATH.")
                }
                values[argument.name] = value
            } else if argument.isSecret, text.hasPrefix("@file:") {
                let bytes = try await file(path(String(text.dropFirst(6))))
                guard var value = String(validating: bytes, as: UTF8.self) else {
                    throw ArgumentError(
                        .invalidArgument,
                        "The file '\(String(text.dropFirst(6)).shortened)' for '--\(argument.name)' is not "
                            + "text in UTF-8.")
                }
                if value.hasSuffix("\r\n") || value.hasSuffix("\n") { value.removeLast() }
                values[argument.name] = value
            } else if argument.isFile, text != "-" {
                values[argument.name] = try path(text)
            }
        }
    }

    private mutating func read(_ words: [Word]) throws {
        var index = 0
        var onlyValues = false
        while index < words.count {
            let word = words[index]
            index += 1
            if onlyValues || !word.isOption || !takesOptions && word.text != "--" {
                try readPositional(word.text)
            } else if word.text == "--" {
                onlyValues = true
            } else {
                try readNamed(word.text.dropFirst(2), words, &index)
            }
        }
    }

    private mutating func readNamed(_ option: Substring, _ words: [Word], _ index: inout Int) throws {
        let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let argument = try argument(named: String(parts[0]))
        if parts.count > 1 {
            try set(argument, String(parts[1]))
        } else if index < words.count, !words[index].isOption, accepts(words[index].text, argument) {
            try set(argument, words[index].text)
            index += 1
        } else if argument.choices == Bool.argumentChoices {
            try set(argument, "yes")
        } else {
            throw ArgumentError(
                .missingArgument, "'--\(argument.name)' of '\(action.name)' has no value after it.",
                hint: "Add \(argument.typeName); one that starts with dashes as --\(argument.name)=VALUE.")
        }
    }

    private func accepts(_ word: String, _ argument: ArgumentDescription) -> Bool {
        argument.choices != Bool.argumentChoices || argument.choices.contains(word)
    }

    private mutating func readPositional(_ text: String) throws {
        guard let argument = action.arguments.next(for: text, given: given) else {
            // A surplus word may be a secret.
            throw ArgumentError(
                .unknownArgument, "'\(action.name)' takes fewer values than were typed.",
                hint: "help \(name)")
        }
        try set(argument, text)
    }

    private func argument(named name: String) throws -> ArgumentDescription {
        if let argument = action.arguments.first(where: { $0.name == name }) { return argument }
        let names = action.arguments.map(\.name)
        let all = names.map { "--" + $0 }.joined(separator: ", ")
        let hint =
            NearestName.of(name, among: names).map { "Did you mean --\($0)?" }
            ?? (names.isEmpty ? "It takes no arguments." : "It takes \(all).")
        let shown = action.arguments.shownName(name) ?? "…"
        throw ArgumentError(
            .unknownArgument, "'\(action.name)' has no argument '--\(shown.shortened)'.", hint: hint)
    }

    private mutating func set(_ argument: ArgumentDescription, _ text: String) throws {
        // U+0000 separates the elements of a list.
        guard !text.contains("\0") else {
            throw ArgumentError(
                .invalidArgument, "The value of '--\(argument.name)' contains the character U+0000.",
                hint: "Remove the character.")
        }
        let isFirst = given.insert(argument.name).inserted
        if !isFirst, argument.isList, let present = values[argument.name] {
            values[argument.name] = present + "\0" + text
            return
        }
        guard isFirst else {
            throw ArgumentError(.invalidArgument, "'--\(argument.name)' of '\(action.name)' is given twice.")
        }
        values[argument.name] = text
    }
}

extension [ArgumentDescription] {
    /// The argument that takes a value without a name; nil if all are given.
    func next(for value: String, given: Set<String>) -> ArgumentDescription? {
        first { argument in
            argument.isList
                || !given.contains(argument.name) && (!argument.isSwitch || argument.choices.contains(value))
        }
    }
}

extension ArgumentDescription {
    package var isInputFile: Bool { typeName == InputFile.argumentTypeName }
    package var isOutputFile: Bool { typeName == OutputFile.argumentTypeName }
    /// True if it is a path, which is resolved where it was typed.
    package var isFile: Bool { isInputFile || isOutputFile }

    /// True if its name alone means yes.
    package var isSwitch: Bool { choices == Bool.argumentChoices && !isRequired }
}
