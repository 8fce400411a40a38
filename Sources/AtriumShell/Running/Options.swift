package import AtriumKit
package import AtriumManifest
package import AtriumRuntime
package import AtriumText
internal import Glibc

package struct Options: Sendable {
    package var mode = Mode.automatic
    package var isJSON = false
    package var environment: Environment?
    /// The server of environment live; default: the one in modules.json.
    package var api: ServerURL?
    /// The file with the certificate authorities trusted to sign for the server; default: the one in
    /// modules.json, else the system's.
    package var authority: String?
    package var dataFolder: String?
    /// The URL of the database that stores the data of environment local; default: the one in modules.json.
    package var database: String?
    package var configurationFile: String?
    package var allowsColor = true
    package var keepsGoing = false
    package var answersYes = false
    /// True if results longer than the terminal are shown in a pager.
    var usesPager = true
    /// True if there is a pager; an empty `$PAGER` means none.
    var hasPager: Bool { usesPager && getenv("PAGER").map { $0.pointee != 0 } != false }
    /// True if a parent process restarts an interactive host after a crash.
    package var isSupervised = true
    /// True if new modules are first tried in a child process.
    package var triesModules = true
    /// The time limit of each step of such a trial, if given.
    var preflightTimeout: Duration?
    package var preflightLimit: Duration { preflightTimeout ?? .seconds(5) }
    /// The time limit of a module's step in the host, if given.
    var stepTimeout: Duration?
    package var stepLimit: Duration { stepTimeout ?? .seconds(10) }
    /// The time limit for running commands when the host ends.
    private var drainTimeout: Duration?
    package var drainLimit: Duration { drainTimeout ?? .seconds(10) }
    /// The source and destination of ``Mode/copyDatabase``.
    private var copiedFrom: String?
    private var copiedTo: String?
    /// The modules to load.
    package var selection = ModuleSelection.all
    /// The template of a new package; default: the smallest.
    package var template: String?
    /// The folder in which a new package is created; default: the working folder.
    package var parentFolder: String?
    /// The key that signs the index of a repository; default: the index is not signed.
    package var signingKey: String?
    /// True if the host that develops a package runs under a debugger.
    package var debugs = false
    /// True if the commands are for a host that is already running.
    package var attaches = false
    /// The name of the scene in that host; default: a new scene.
    package var scene: String?
    /// The permission of the tools of ``Mode/mcp``; default: read.
    package var permission: Permission?
    /// True if this process must be the host, waiting for a running one to end.
    package var isAlone = false
    /// The target of ``Mode/verify``: a library, a folder of them, or a package; default: all configured.
    package var candidate: String?
    /// The size of screens; default: the terminal's.
    package var size: TerminalSize?
    /// True if ``Mode/test(_:)`` writes the actual output into the transcripts.
    package var updates = false
    /// The file for the results of ``Mode/test(_:)`` in JUnit's format.
    package var xunitFile: String?
    /// The time limit for a line of a transcript; default: the transcript's, else a minute.
    package var lineLimit: Duration?
    /// The paths that transcripts refer to by name.
    package var definitions: [PathDefinition] = []
    /// True if ``Mode/record(_:)`` may replace a file.
    package var replaces = false

    package enum Mode: Hashable, Sendable {
        /// A user at a terminal, else standard input.
        case automatic
        case script(String)
        case file(String)
        /// No front end except clients that attach.
        case serve
        /// A program that speaks the Model Context Protocol on standard input and output.
        case mcp
        case verify
        case lock
        /// Write a backup of the data folder into this file.
        case backup(String)
        /// Create the data folder from this backup.
        case restore(String)
        /// Create a package for a module of this name.
        case new(String)
        /// Build the package in this folder whenever its sources change, in a host that has its modules.
        case develop(String)
        /// Write the index of the libraries in this folder.
        case indexRepository(String)
        /// Copy the data of the data folder's modules into a database.
        case copyDatabase
        /// Print the paths of the host's parts.
        case paths
        /// Play the transcripts of these files and folders.
        case test([String])
        /// Record the typed lines in this file, as a transcript.
        case record(String)
        /// Try new modules, as requested by a host in this folder.
        case preflight(String)
        case help
        case version
    }

    package init(_ words: [String]) throws(ShellError) {
        var reader = OptionReader(words)
        /// The command whose file has not been read yet.
        var command: FileCommand?
        while let word = reader.next() {
            if let found = command, !word.hasPrefix("-") || word == "-" && found == .run, !word.hasPrefix("=")
            {
                try set(found.mode(word))
                command = nil
                continue
            }
            if case .test(let files) = mode, !word.hasPrefix("-") || word == "-", !word.hasPrefix("=") {
                mode = .test(files + [word])
                continue
            }
            switch word {
            case "--help", "-h", "help": mode = .help
            case "--version": mode = .version
            case "--json": isJSON = true
            case "--no-color": allowsColor = false
            case "--keep-going": keepsGoing = true
            case "--yes": answersYes = true
            case "--no-pager": usesPager = false
            case "--no-supervisor": isSupervised = false
            case "--no-preflight": triesModules = false
            case "--preflight-timeout":
                preflightTimeout = try Self.seconds(reader.value(of: word, "a number of seconds"), for: word)
            case "--step-timeout":
                stepTimeout = try Self.seconds(reader.value(of: word, "a number of seconds"), for: word)
            case "--drain-timeout":
                drainTimeout = try Self.seconds(reader.value(of: word, "a number of seconds"), for: word)
            case "--safe": try select(.none)
            case "--only": try select(.only(Self.names(reader.value(of: word, "names of modules"))))
            case "--without": try select(.without(Self.names(reader.value(of: word, "names of modules"))))
            case "--size": size = try Self.size(reader.value(of: word, "a size such as 80x24"))
            case "--data": dataFolder = try reader.value(of: word, "a folder")
            case "--database": database = try reader.value(of: word, "the URL of a database")
            case "--config": configurationFile = try reader.value(of: word, "a file")
            case "--env": environment = try Self.environment(reader.value(of: word, "an environment"))
            case "--api": api = try Self.server(reader.value(of: word, "the URL of a server"))
            case "--ca": authority = try reader.value(of: word, "a file")
            case "-c": try set(.script(reader.value(of: word, "the commands to run")))
            case "--template": template = try reader.value(of: word, "the name of a template")
            case "--path": parentFolder = try reader.value(of: word, "a folder")
            case "--key": signingKey = try reader.value(of: word, "a file")
            case "--paths": try set(.paths)
            case "serve": try set(.serve)
            case "mcp": try set(.mcp)
            case "--allow":
                permission = try Self.permission(reader.value(of: word, "changes or destroys"))
            case "attach": attaches = true
            case "--scene": scene = try reader.value(of: word, "the name of a scene")
            case "--alone": isAlone = true
            case "test": try set(.test([]))
            case "--update": updates = true
            case "--xunit": xunitFile = try reader.value(of: word, "a file")
            case "--timeout":
                lineLimit = try Self.seconds(reader.value(of: word, "a number of seconds"), for: word)
            case "--define":
                definitions.append(try PathDefinition(reader.value(of: word, "a name and a path")))
            case "--replace": replaces = true
            case "verify": try set(.verify)
            case "database":
                guard reader.next() == "copy" else { throw .usage("'database' needs 'copy' after it.") }
                try set(.copyDatabase)
            case "--from": copiedFrom = try reader.value(of: word, "sqlite: and a data folder")
            case "--to": copiedTo = try reader.value(of: word, "the URL of a database")
            case "--debug": debugs = true
            case "--module": candidate = try reader.value(of: word, "a library, a folder or a package")
            case "lock": try set(.lock)
            case "--preflight": try set(.preflight(reader.value(of: word, "a folder")))
            case "repository":
                guard command == nil, reader.next() == "index" else {
                    throw .usage("'repository' needs 'index' and a folder after it.")
                }
                command = .repositoryIndex
            default:
                guard command == nil, let found = FileCommand(rawValue: word) else {
                    throw .unknownOption(word)
                }
                command = found
            }
        }
        guard mode != .help, mode != .version else { return }
        if command == .dev {
            try set(.develop("."))
            command = nil
        }
        if let command { throw .usage("'\(command.rawValue)' needs \(command.file) after it.") }
        try checkTranscriptOptions()
        try checkCopyOptions()
        let isIndex = if case .indexRepository = mode { true } else { false }
        guard signingKey == nil || isIndex else {
            throw .usage(
                "'--key' belongs to 'repository index'.", hint: "atrium repository index DIR --key FILE")
        }
        guard permission == nil || mode == .mcp else {
            throw .usage("'--allow' belongs to 'mcp'.", hint: "atrium mcp --allow changes")
        }
        guard !attaches || canAttach && mode != .mcp else {
            throw .usage("'attach' goes with '-c' and 'run'.", hint: "atrium attach -c 'modules'")
        }
        guard scene == nil || attaches else {
            throw .usage("'--scene' belongs to 'attach'.", hint: "atrium attach --scene NAME")
        }
        guard !isAlone || canAttach && !attaches else {
            throw .usage("'--alone' goes with a prompt, '-c' and 'run'.", hint: "atrium --alone")
        }
        guard candidate == nil || mode == .verify else {
            throw .usage("'--module' belongs to 'verify'.", hint: "atrium verify --module PATH")
        }
        guard !debugs || developed != nil else {
            throw .usage("'--debug' belongs to 'dev'.", hint: "atrium dev --debug")
        }
        if case .new = mode { return }
        guard template == nil, parentFolder == nil else {
            throw .usage("'--template' and '--path' belong to 'new'.", hint: "atrium new NAME --path DIR")
        }
    }

    /// A command that is followed by a file; options may come between.
    private enum FileCommand: String {
        case run, backup, restore, new, dev, record
        case repositoryIndex = "repository index"

        var file: String {
            switch self {
            case .run: "a file of commands"
            case .backup: "a file to write"
            case .restore: "a backup"
            case .new: "the name of a module"
            case .dev: "the folder of a package"
            case .record: "a file to write"
            case .repositoryIndex: "a folder with libraries"
            }
        }

        func mode(_ file: String) -> Mode {
            switch self {
            case .run: .file(file)
            case .backup: .backup(file)
            case .restore: .restore(file)
            case .new: .new(file)
            case .dev: .develop(file)
            case .record: .record(file)
            case .repositoryIndex: .indexRepository(file)
            }
        }
    }

    private mutating func set(_ mode: Mode) throws(ShellError) {
        switch self.mode {
        case .help, .version: break
        case .automatic: self.mode = mode
        case .script, .file, .serve, .mcp, .verify, .lock, .preflight, .backup, .restore, .new, .develop,
            .indexRepository, .paths, .test, .record, .copyDatabase:
            throw .usage(
                "Only one of '-c', 'run', 'serve', 'mcp', 'verify', 'lock', 'backup', 'restore', 'database', 'new', "
                    + "'dev', 'repository', 'test', 'record' and '--paths' can be given, once.")
        }
    }

    private mutating func checkCopyOptions() throws(ShellError) {
        let example = "atrium database copy --from sqlite:DIR --to postgresql://HOST/NAME"
        guard mode == .copyDatabase else {
            guard copiedFrom == nil, copiedTo == nil else {
                throw .usage("'--from' and '--to' belong to 'database copy'.", hint: example)
            }
            return
        }
        guard let copiedFrom, let copiedTo, copiedFrom.hasPrefix("sqlite:"), copiedFrom.count > 7 else {
            throw .usage(
                "'database copy' needs '--from sqlite:' with a data folder, and '--to' with a URL.",
                hint: example)
        }
        guard dataFolder == nil, database == nil else {
            throw .usage(
                "'database copy' takes '--from' and '--to', not '--data' and '--database'.", hint: example)
        }
        guard environment == nil || environment == .local else {
            throw .usage("'database copy' copies the data of environment local.", hint: example)
        }
        (dataFolder, database, environment) = (String(copiedFrom.dropFirst(7)), copiedTo, .local)
    }

    private func checkTranscriptOptions() throws(ShellError) {
        var (tests, records) = (false, false)
        switch mode {
        case .test(let files):
            guard !files.isEmpty else {
                throw .usage("'test' needs files or folders after it.", hint: "atrium test stories/")
            }
            tests = true
        case .record: records = true
        default: break
        }
        guard tests || !updates && xunitFile == nil && lineLimit == nil else {
            throw .usage(
                "'--update', '--xunit' and '--timeout' belong to 'test'.", hint: "atrium test FILE --update")
        }
        guard tests || records || definitions.isEmpty else {
            throw .usage(
                "'--define' belongs to 'test' and 'record'.", hint: "atrium test FILE --define NAME=PATH")
        }
        guard records || !replaces else {
            throw .usage("'--replace' belongs to 'record'.", hint: "atrium record FILE --replace")
        }
        guard dataFolder == nil || !tests && !records else {
            throw .usage(
                "'test' and 'record' have a data folder of their own.", hint: "Leave out '--data'.")
        }
    }

    /// Selects modules; repeated `--only` or `--without` adds to the selection.
    private mutating func select(_ selection: ModuleSelection) throws(ShellError) {
        switch (self.selection, selection) {
        case (.all, _), (.none, .none): self.selection = selection
        case (.only(let names), .only(let more)): self.selection = .only(names + more)
        case (.without(let names), .without(let more)): self.selection = .without(names + more)
        default: throw .usage("Only one of '--safe', '--only' and '--without' can be given.")
        }
    }

    private static func names(_ text: String) throws(ShellError) -> [String] {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else {
            throw .usage("'\(text)' is not a list of modules.", hint: "--only Session,Entities")
        }
        return names
    }

    private static func seconds(_ text: String, for option: String) throws(ShellError) -> Duration {
        guard let seconds = Double(text), seconds >= 0.001, seconds <= 3_600 else {
            throw .usage("'\(option)' takes 0.001 to 3600 seconds, not '\(text)'.")
        }
        return .milliseconds(Int(seconds * 1_000))
    }

    private static func size(_ text: String) throws(ShellError) -> TerminalSize {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let columns = Int(parts[0]), let rows = Int(parts[1]),
            (20...1_000).contains(columns), (5...1_000).contains(rows)
        else {
            throw .usage(
                "'\(text)' is not a size: 20 to 1000 columns, an x, 5 to 1000 rows.", hint: "--size 80x24")
        }
        return TerminalSize(columns: columns, rows: rows)
    }

    /// True if modules are started; else they are only loaded.
    package var activates: Bool { mode != .verify && mode != .copyDatabase }

    package var isInteractive: Bool { (mode == .automatic || developed != nil) && isAtTerminal && !isJSON }

    private var isAtTerminal: Bool { isatty(0) == 1 && isatty(HostOutput.standardOutput) == 1 }

    /// True if a user types the recorded lines.
    var recordsPerson: Bool { isAtTerminal }

    /// True if a running host can do what these options ask for.
    package var canAttach: Bool {
        switch mode {
        case .automatic, .script, .file, .mcp: true
        default: false
        }
    }

    /// The folder of the package to develop.
    package var developed: String? { if case .develop(let folder) = mode { folder } else { nil } }

    private static func permission(_ text: String) throws(ShellError) -> Permission {
        guard let permission = Permission(rawValue: text) else {
            throw .usage("'\(text)' can't be allowed.", hint: "--allow changes, or --allow destroys")
        }
        return permission
    }

    private static func environment(_ name: String) throws(ShellError) -> Environment {
        if let environment = Environment(rawValue: name) { return environment }
        let nearest = NearestName.of(name, among: Environment.allCases.map(\.rawValue))
        throw .usage(
            "There is no environment '\(name)'.",
            hint: nearest.map { "Did you mean '\($0)'?" } ?? "Use mock, local or live.")
    }

    private static func server(_ text: String) throws(ShellError) -> ServerURL {
        do {
            return try ServerURL(text)
        } catch {
            throw .usage(
                "'\(error.url)' behind --api is not the URL of a server: \(error.reason).",
                hint: "--api \(ServerURLError.example)")
        }
    }

    static let names = [
        "--help", "--version", "--json", "--no-color", "--keep-going", "--yes", "--no-pager",
        "--no-supervisor", "--data",
        "--config", "--no-preflight", "--preflight-timeout", "--step-timeout", "--drain-timeout",
        "--safe", "--only",
        "--without", "--env", "--api", "--ca", "--size", "-c", "run",
        "serve", "attach", "--scene", "--alone", "mcp", "--allow", "verify", "lock", "backup", "restore",
        "database", "--from", "--to",
        "new", "dev",
        "--template", "--path", "--paths",
        "repository", "--key", "--module", "--debug",
        "test", "--update", "--xunit", "--timeout", "--define", "record", "--replace",
    ]

    package static let help = """
        Usage: atrium [OPTIONS]                 a prompt, or the lines of standard input
               atrium [OPTIONS] -c 'LINE; …'    these commands
               atrium [OPTIONS] run FILE        the commands of a file
               atrium [OPTIONS] serve           a host without a prompt, to which others attach
               atrium [OPTIONS] attach [--scene NAME] [-c 'LINE; …' | run FILE]
                                                a prompt, or commands, in the host that runs
               atrium [OPTIONS] mcp [--allow changes|destroys]
                                                let a program use the host by the Model Context Protocol, on
                                                standard input and output: only to read, unless more is allowed
               atrium [OPTIONS] verify          load the modules and check that everything can be built
               atrium [OPTIONS] verify --module PATH
                                                check a module before it is used: a library, a folder, a package
               atrium [OPTIONS] lock            write the digests of the modules' libraries into modules.lock
               atrium [OPTIONS] backup FILE     write the data folder into one file, also while a host runs
               atrium [OPTIONS] restore FILE    make the data folder of a backup; the former one is kept beside it
               atrium [OPTIONS] database copy --from sqlite:DIR --to URL
                                                copy the data of modules from a data folder into a database
               atrium new NAME [--template TEMPLATE] [--path DIR]
                                                make a package for a module: a folder NAME here, or in DIR;
                                                templates: minimal, crud, form, service, infrastructure
               atrium [OPTIONS] dev [PATH] [--debug]
                                                build a package whenever its sources change, in a host with its
                                                modules; under the debugger LLDB
               atrium [OPTIONS] test FILE… [--update] [--xunit FILE] [--timeout SECONDS] [--define NAME=PATH]
                                                play transcripts, of folders all below, each on a host of its own
                                                in a scratch folder, and print what differs
               atrium [OPTIONS] record FILE [--replace]
                                                a prompt on a new host in a scratch folder, and a transcript of
                                                what is typed there
               atrium repository index DIR [--key FILE]
                                                list the modules' libraries in a folder, so that hosts can
                                                install them; signed with a minisign key
               atrium --paths                   print where modules, configuration, SDK and data are

        Options:
          --env mock|local|live
                               which implementation of every service is used; default: modules.json, else local
          --api URL            the server of environment live; default: modules.json
          --ca FILE            trust the certificate authority in this PEM file instead of the system's
          --database URL       keep the data of environment local in this database instead of in files:
                               postgresql://HOST/NAME; default: modules.json
          --config FILE        the modules to load; default: modules.json here, else the installed one
          --data DIR           where data is kept; default: modules.json, else $XDG_STATE_HOME/atrium,
                               else ~/.local/state/atrium; of 'dev' PATH/.build/atrium
          --json               one object per command, on one line
          --keep-going         a script goes on after an error, and still exits non-zero
          --yes                what asks before it is done is done without asking
          --alone              a host of its own: waits until the one that runs has ended, instead of using it
          --scene NAME         attach to the scene of this name, whose screens are still open when you return
          --allow changes|destroys
                               what the tools of 'mcp' may do beside reading; 'destroys' allows both
          --size COLUMNSxROWS  lay screens out for this size instead of the terminal's, or 80x24 without one
          --no-pager           print results that are longer than the terminal as they are, not in $PAGER
          --no-color           no colours (also: NO_COLOR in the environment)
          --no-supervisor      no parent process that starts a prompt again after a crash, as debuggers like it
          --no-preflight       new modules are loaded without being tried in a process of their own first
          --preflight-timeout SECONDS
                               how long each step of a new module may take while it is tried; default: 5
          --step-timeout SECONDS
                               how long a module may take to start or stop, and keep the host busy; default: 10
          --drain-timeout SECONDS
                               how long commands may take to end when the host is told to end; default: 10
          --update             'test' writes what was printed into the transcripts
          --xunit FILE         'test' writes its results for servers of continuous integration, as JUnit does
          --timeout SECONDS    how long a line of a transcript may take; default: 60
          --define NAME=PATH   transcripts call this path $NAME; may be repeated
          --replace            'record' may replace a file
          --safe               start without modules
          --only NAME,…        start with these modules and what they require
          --without NAME,…     start without these modules and what requires them
          --version            print the version
          --help               print this

        Exit codes: 0 done, 1 a command failed, 2 usage, 3 a module could not be loaded or verified,
        4 refused by a guard or a full host, 70 a module called exit, 128 + N ended by signal N
        (130: cancelled).
        """
}

private struct OptionReader {
    private var words: ArraySlice<String>
    private var inlineValue: String?

    init(_ words: [String]) { self.words = words[...] }

    /// The next option; ``value(of:_:)`` reads its value after `=`.
    mutating func next() -> String? {
        if let inlineValue { return "=" + inlineValue }
        guard let word = words.popFirst() else { return nil }
        guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return word }
        inlineValue = String(word[word.index(after: equals)...])
        return String(word[..<equals])
    }

    mutating func value(of option: String, _ what: String) throws(ShellError) -> String {
        if let value = inlineValue {
            inlineValue = nil
            return value
        }
        if let value = words.popFirst() { return value }
        throw .usage("'\(option)' needs \(what) after it.")
    }
}

extension ShellError {
    private static let shows = "'atrium --help' shows how."

    fileprivate static func usage(_ message: String, hint: String = shows) -> ShellError {
        ShellError("usage", message, hint: hint, category: .usage)
    }

    fileprivate static func unknownOption(_ word: String) -> ShellError {
        let nearest = NearestName.of(word, among: Options.names).map { "Did you mean '\($0)'? " } ?? ""
        // A URL without its option may contain a password.
        let word = ServerURLError.shown(word)
        return .usage(
            word.hasPrefix("=")
                ? "The option before '\(word)' takes no value." : "There is no option '\(word)'.",
            hint: nearest + "'atrium --help' lists them.")
    }
}

package enum HostVersion { package static let current = "0.5.0" }
