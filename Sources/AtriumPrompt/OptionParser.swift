internal import AtriumKit
internal import AtriumManifest
internal import AtriumModules
internal import AtriumText

/// Reads the words of the command line as ``OptionDeclaration/all`` declares them.
struct OptionParser {
    private var options = Options()
    private var words: ArraySlice<String>
    private let all: Set<String>
    private var given: [OptionDeclaration] = []

    init(_ words: [String]) { (self.words, all) = (words[...], Set(words)) }

    mutating func parse() throws(ShellError) -> Options {
        /// The command whose value comes next; options may come between.
        var command: OptionDeclaration?
        while let word = words.popFirst() {
            if let found = command, found.takes(word) {
                try read(found, word)
                command = found.isRepeated ? found : nil
            } else if word == "-", let found = command {
                throw .usage(
                    "'\(found.name)' takes \(found.value ?? ""), not standard input.",
                    hint: "A file of that name is './-'.")
            } else {
                let equals = word.hasPrefix("--") ? word.firstIndex(of: "=") : nil
                let found = try declaration(of: String(word[..<(equals ?? word.endIndex)]))
                if found.isCommand, found.value != nil {
                    command = found
                } else {
                    try read(found, value(of: found, equals.map { String(word[word.index(after: $0)...]) }))
                }
            }
        }
        guard !isHelp else { return options }
        if let command, !command.isRepeated || !given.contains(where: { $0.name == command.name }) {
            guard command.value?.hasPrefix("[") == true else { throw .needsValue(command) }
            try read(command, ".")
        }
        try check()
        return options
    }

    private var isHelp: Bool { options.mode == .help || options.mode == .version }

    /// The declaration of a name; takes the second word of a command that has two.
    private mutating func declaration(of word: String) throws(ShellError) -> OptionDeclaration {
        let name = ["-h", "help"].contains(word) ? "--help" : word
        let start = name + " "
        let found = OptionDeclaration.all.filter { $0.name == name || $0.name.hasPrefix(start) }
        guard let first = found.first(where: { isMeant($0) }) ?? found.first else {
            throw .unknownOption(word)
        }
        guard first.name != name else {
            guard !name.contains(" ") else {
                throw .usage("'\(name)' is two words, not one.", hint: "atrium \(name)")
            }
            return first
        }
        let second = words.popFirst()
        guard let declaration = found.first(where: { $0.name == "\(name) \(second ?? "")" }) else {
            let forms = found.map { "'\($0.form.dropFirst(name.count + 1))'" }.joined(separator: " or ")
            throw .usage("'\(name)' needs \(forms) after it.")
        }
        return declaration
    }

    /// True if one of an option's modes is on the command line: options of several modes share some names.
    private func isMeant(_ found: OptionDeclaration) -> Bool {
        found.modes.contains { all.contains(String($0.prefix { $0 != " " })) }
    }

    private mutating func value(of found: OptionDeclaration, _ inline: String?) throws(ShellError) -> String {
        guard found.value != nil else {
            guard inline == nil else { throw .usage("'\(found.name)' takes no value.") }
            return ""
        }
        guard let value = inline ?? words.popFirst() else { throw .needsValue(found) }
        // A file of that name is './--json', or follows an equals sign.
        guard inline != nil || !found.takesPath || !value.hasPrefix("--") else { throw .needsValue(found) }
        return value
    }

    private mutating func read(_ found: OptionDeclaration, _ value: String) throws(ShellError) {
        if found.isMode {
            guard !isHelp else { return }
            let other = given.first(where: \.isMode)
            guard other == nil || other?.name == found.name && found.isRepeated else {
                throw .onlyOne(of: given.filter(\.isMode).map(\.name) + [found.name])
            }
        }
        if found.isSingle, given.contains(where: { $0.name == found.name }) {
            throw .onlyOne(of: [found.name, found.name])
        }
        given.append(found)
        do {
            try found.read(&options, value)
        } catch {
            throw error as? ShellError ?? .usage(LoadFailure(error).message)
        }
    }

    /// Checks that options and mode go together.
    private mutating func check() throws(ShellError) {
        let mode = given.first(where: \.isMode)?.name ?? OptionDeclaration.prompt
        options.given = Set(given.map(\.name))
        let modes = options.given.union([mode])
        for option in given {
            guard option.modes.isEmpty || !modes.isDisjoint(with: option.modes) else {
                throw .usage(
                    "'\(option.name)' belongs to \(ShellError.list(option.modes)).", hint: option.example)
            }
            if let other = option.excluded.first(where: modes.contains) {
                throw .usage("'\(other)' takes no '\(option.name)'.", hint: "Leave it out.")
            }
        }
        for option in OptionDeclaration.all where option.isNeeded && option.modes.contains(mode) {
            guard modes.contains(option.name) else {
                throw .usage("'\(mode)' needs '\(option.form)'.", hint: option.example)
            }
        }
        if [.copyDatabase, .migrateDatabase].contains(options.mode) {
            guard options.environment ?? .local == .local else {
                throw .usage("'\(mode)' is about the data of environment local.", hint: "Leave out '--env'.")
            }
            options.environment = .local
        }
    }
}

extension OptionDeclaration {
    /// The option or command as `--help` shows it.
    var form: String { value.map { "\(name) \($0)" } ?? name }
    var isCommand: Bool { !name.hasPrefix("-") }
    var isRepeated: Bool { value?.hasSuffix("…") == true }

    /// True if its value is a file or a folder.
    fileprivate var takesPath: Bool { value == "FILE" || value == "DIR" || value == "PATH" }

    /// True if a word is a value of the command.
    fileprivate func takes(_ word: String) -> Bool {
        !word.hasPrefix("-") || word == "-" && value?.hasSuffix("|-") == true
    }

    /// A command line with the option.
    fileprivate var example: String {
        "atrium \(Self.all.first { $0.name == modes.first }?.usage ?? form)"
    }
}

// MARK: - Values

extension Options {
    /// Selects modules; repeated `--only` or `--without` adds to the selection.
    mutating func select(_ selection: ModuleSelection) throws {
        switch (self.selection, selection) {
        case (.all, _), (.none, .none): self.selection = selection
        case (.only(let names), .only(let more)): self.selection = .only(names + more)
        case (.without(let names), .without(let more)): self.selection = .without(names + more)
        default: throw ShellError.onlyOne(of: ["--safe", "--only", "--without"])
        }
    }

    static func names(_ text: String) throws -> [String] {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else {
            throw ShellError.usage(
                "'\(text.shortened)' is not a list of modules.", hint: "--only Session,Entities")
        }
        return names
    }

    static func tags(_ text: String) throws -> [String] {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else {
            throw ShellError.usage("'\(text.shortened)' is not a list of tags.", hint: "--tag slow,demo")
        }
        return names
    }

    static func size(_ text: String) throws -> TerminalSize {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let columns = Int(parts[0]), let rows = Int(parts[1]),
            (20...1_000).contains(columns), (5...1_000).contains(rows)
        else {
            throw ShellError.usage(
                "'\(text.shortened)' is not a size: 20 to 1000 columns, an x, 5 to 1000 rows.",
                hint: "--size 80x24")
        }
        return TerminalSize(columns: columns, rows: rows)
    }

    static func line(_ text: String) throws -> Int {
        guard let line = Int(text), line > 0 else {
            throw ShellError.usage(
                "'--from' takes the number of a line, not '\(text.shortened)'.", hint: "--from 12")
        }
        return line
    }

    static func speed(_ text: String) throws -> Double {
        guard let speed = Double(text), (0.1...100).contains(speed) else {
            throw ShellError.usage("'--speed' takes 0.1 to 100, not '\(text.shortened)'.", hint: "--speed 2")
        }
        return speed
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String, of option: String
    ) throws -> Choice {
        if let choice = Choice(rawValue: text) { return choice }
        let names = Choice.allCases.map(\.rawValue)
        throw ShellError.usage(
            "'\(option)' takes \(ShellError.list(names, "or")), not '\(text.shortened)'.",
            hint: NearestName.of(text, among: names).map { "Did you mean '\($0)'?" } ?? ShellError.shows)
    }

    /// A moment as RFC 3339 writes it, also without seconds.
    static func time(_ text: String) throws -> Timestamp {
        let minute = text.prefix(16)
        guard let time = Timestamp(rfc3339: text) ?? Timestamp(rfc3339: minute + ":00" + text.dropFirst(16))
        else {
            throw ShellError.usage(
                "'--clock' takes a time, not '\(text.shortened)'.", hint: "--clock 2026-01-01T09:00:00Z")
        }
        return time
    }

    static func server(_ text: String) throws -> ServerURL {
        do { return try ServerURL(text) } catch {
            throw ShellError.usage(
                "'--api' takes the URL of a server, not '\(error.url.excerpt)': \(error.reason).",
                hint: "--api \(ServerURLError.example)")
        }
    }

    /// The folder of `sqlite:DIR`.
    static func copiedFolder(_ text: String) throws -> String {
        guard text.hasPrefix("sqlite:"), text.count > 7 else {
            throw ShellError.usage("'--from' takes 'sqlite:' and a data folder.", hint: "--from sqlite:DIR")
        }
        return String(text.dropFirst(7))
    }
}

extension ShellError {
    fileprivate static let shows = "'atrium --help' shows how."

    static func usage(_ message: String, hint: String = shows) -> ShellError {
        ShellError("usage", message, hint: hint, category: .usage)
    }

    fileprivate static func needsValue(_ declaration: OptionDeclaration) -> ShellError {
        .usage("'\(declaration.name)' needs \(declaration.value ?? "") after it.")
    }

    fileprivate static func onlyOne(of names: [String]) -> ShellError {
        .usage(
            Set(names).count == 1
                ? "'\(names[0])' can be given only once." : "Only one of \(list(names)) can be given.")
    }

    /// The names in quotes, such as `'a', 'b' and 'c'`.
    fileprivate static func list(_ names: [String], _ last: String = "and") -> String {
        var quoted = names.map { $0 == OptionDeclaration.prompt ? $0 : "'\($0)'" }
        let end = quoted.popLast() ?? ""
        return quoted.isEmpty ? end : "\(quoted.joined(separator: ", ")) \(last) \(end)"
    }

    fileprivate static func unknownOption(_ word: String) -> ShellError {
        let names = OptionDeclaration.all.filter { !$0.summary.isEmpty }.map(\.name)
        let nearest = NearestName.of(word, among: names).map { "Did you mean '\($0)'? " } ?? ""
        // A URL without its option may contain a password.
        let shown = ServerURLError.shown(word)
        return .usage("There is no option '\(shown.excerpt)'.", hint: "\(nearest)'atrium --help' lists them.")
    }
}
