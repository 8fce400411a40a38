@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumModules
internal import AtriumText

/// An option, or a command such as `run`.
///
/// ``all`` declares the command line: the parser, `--help`, the manual page and completion are made from it.
struct OptionDeclaration: Sendable {
    typealias Reader = @Sendable (inout Options, _ value: String) throws -> Void

    let name: String
    /// The form of its value, such as `FILE`; `…` allows several, brackets make it optional.
    let value: String?
    /// An imperative phrase; completion shows it up to the first semicolon.
    let summary: String
    /// True for a command and its like, of which one can be given.
    let isMode: Bool
    /// The modes with which it counts; empty: all.
    private(set) var modes: [String] = []
    /// The modes with which it can't be given.
    private(set) var excluded: [String] = []
    /// True if its modes need it.
    private(set) var isNeeded = false
    /// True for a file that the run writes or answers from, of which one can be given.
    ///
    /// Of other options the last one counts, so that a command line can change what an alias says.
    private(set) var isSingle = false
    let read: Reader

    /// The mode without a name.
    static let prompt = "a prompt"

    /// The declaration of a form such as `--data DIR` or `database copy`.
    private init(_ form: String, _ summary: String, isMode: Bool = false, _ read: @escaping Reader) {
        let space =
            form.hasPrefix("-")
            ? form.firstIndex(of: " ")
            : form.lastIndex(of: " ").flatMap { form[form.index(after: $0)].isLowercase ? nil : $0 }
        name = String(form[..<(space ?? form.endIndex)])
        value = space.map { String(form[form.index(after: $0)...]) }
        (self.summary, self.isMode, self.read) = (summary, isMode, read)
    }

    private static func mode(_ form: String, _ summary: String, _ read: @escaping Reader) -> Self {
        Self(form, summary, isMode: true, read)
    }

    private static func mode(_ name: String, _ summary: String, is mode: Options.Mode) -> Self {
        Self(name, summary, isMode: true) { options, _ in options.mode = mode }
    }

    private static func flag(
        _ name: String, _ summary: String, _ set: @escaping @Sendable (inout Options) throws -> Void
    ) -> Self {
        Self(name, summary) { options, _ in try set(&options) }
    }

    private static func seconds(
        _ name: String, _ summary: String, else standard: Duration,
        _ set: @escaping @Sendable (inout Options, Duration) -> Void
    ) -> Self {
        Self("\(name) SECONDS", "\(summary); default: \(standard.secondsText)") { options, text in
            guard let time = Duration(seconds: text), time >= .milliseconds(1), time <= .seconds(3_600) else {
                throw ShellError.usage("'\(name)' takes 0.001 to 3600 seconds, not '\(text.shortened)'.")
            }
            set(&options, time)
        }
    }

    private func of(_ modes: String..., isNeeded: Bool = false) -> Self {
        var declaration = self
        (declaration.modes, declaration.isNeeded) = (modes, isNeeded)
        return declaration
    }

    private func not(_ modes: String...) -> Self {
        var declaration = self
        declaration.excluded = modes
        return declaration
    }

    private func once() -> Self {
        var declaration = self
        declaration.isSingle = true
        return declaration
    }

    private static let defaults = Options()

    static let all: [Self] = [
        .mode("-c 'LINE; …'", "run these commands") { $0.mode = .script($1) },
        .mode("run FILE|-", "run the commands of a file, or of standard input") { $0.mode = .file($1) },
        .mode("serve", "run a host without a prompt; prompts and scripts attach to it", is: .serve),
        .flag("attach", "open a prompt, or run commands, in the running host") { $0.attaches = true }
            .of(prompt, "-c", "run"),
        .mode("mcp", "let a program use the host over the Model Context Protocol", is: .mcp),
        .mode("verify", "load the modules and check that everything can be built", is: .verify),
        .mode("stories", "write a page of the stories, screens in named states", is: .stories),
        .mode("lock", "write the digests of the modules' libraries into modules.lock", is: .lock),
        .mode("backup FILE", "write the data folder into one file, also while a host runs") {
            $0.mode = .backup($1)
        },
        .mode("restore FILE", "restore the data folder from a backup; the former is kept beside it") {
            $0.mode = .restore($1)
        },
        .mode("database copy", "copy the data of modules into a database", is: .copyDatabase),
        .mode("database migrate", "run the migrations of the modules in a database", is: .migrateDatabase),
        .mode("new NAME", "create a package for a module, in a folder NAME") { $0.mode = .new($1) },
        .mode("dev [DIR]…", "build packages whenever their sources change, in a host with their modules") {
            $0.mode = .develop($0.developed + [$1])
        },
        .mode("test FILE…", "play transcripts, in folders too, and print the differences") {
            $0.mode = .test($0.transcripts + [$1])
        },
        .mode("play FILE", "type a transcript at a human pace, to an audience or into a recording") {
            $0.mode = .play($1)
        },
        .mode("record FILE", "open a prompt on a new host, and write a transcript of it") {
            $0.mode = .record($1)
        },
        .mode("repository index DIR", "list the libraries in a folder, so that hosts can install them") {
            $0.mode = .indexRepository($1)
        },
        .mode("docs", "print the paths of the README, pages, reference and examples", is: .documents),
        .mode("--paths", "print where modules, configuration, SDK and data are", is: .paths),
        .mode("--preflight DIR", "") { $0.mode = .preflight($1) },
        .mode("--sourcekit FILE", "") { $0.mode = .sourceKit($1) },
        .mode("--manual", "", is: .manual),

        .init("--env mock|local|live", "choose the services; default: modules.json, else local") {
            $0.environment = try Options.choice($1, of: "--env")
        },
        .init("--api URL", "use this server in environment live; default: modules.json") {
            $0.api = try Options.server($1)
        },
        .init("--ca FILE", "trust the authorities in this PEM file instead of the system's") {
            $0.authority = $1
        },
        .init("--database URL", "keep the data of local in postgresql://HOST/NAME; default: modules.json") {
            $0.database = $1
        }.not("database copy", "database migrate"),
        .init("--config FILE", "load these modules; default: modules.json here, else the installed one") {
            $0.configurationFile = $1
        },
        .init(
            "--data DIR",
            "keep data in this folder; default: modules.json, else $XDG_STATE_HOME/atrium, else "
                + "~/.local/state/atrium; for 'dev', .build/atrium in the first DIR"
        ) { $0.dataFolder = $1 }.not("database copy", "test", "record", "play"),
        .flag("--alone", "start a host; wait until the running one has ended") { $0.isAlone = true }
            .of(prompt, "-c", "run", "mcp").not("attach"),
        .flag("--sandbox", "use a copy of the data, which is removed at the end") {
            $0.isSandbox = true
            // After a restart the copy would be another one.
            $0.isSupervised = false
        }.of(prompt, "-c", "run", "serve", "mcp").not("attach"),
        .init("--clock TIME", "let the clock stand at this time, such as 2026-01-01T09:00Z") {
            $0.clock = try Options.time($1)
        }.of(prompt, "-c", "run", "serve", "mcp", "test").not("attach"),
        .init("--record-http FILE", "record requests and answers of environment live; +FILE adds to the file")
        {
            $0.continuesRecording = $1.hasPrefix("+")
            let file = $0.continuesRecording ? String($1.dropFirst()) : $1
            guard !file.isEmpty else { throw ShellError.usage("--record-http needs the name of a file.") }
            $0.httpRecording = file
            // A restarted host would begin the recording anew.
            $0.isSupervised = false
        }.of(prompt, "-c", "run", "serve", "mcp", "test", "play").not("attach", "--replay-http").once(),
        .init("--replay-http FILE", "answer the requests of environment live from a recording") {
            $0.httpReplay = $1
        }.of(prompt, "-c", "run", "serve", "mcp", "test", "play").not("attach").once(),
        .init(
            "--log LEVEL|MODULE=LEVEL,…", "keep messages from this level on; default: modules.json, else info"
        ) {
            $0.logLevels = try LogLevels(option: $1)
        },
        .flag("--safe", "start without modules") { try $0.select(.none) },
        .init("--only NAME,…", "start with these modules and what they require") {
            try $0.select(.only(Options.names($1)))
        },
        .init("--without NAME,…", "start without these modules and what requires them") {
            try $0.select(.without(Options.names($1)))
        },
        .flag("--no-supervisor", "do not restart a prompt after a crash") { $0.isSupervised = false },
        .flag("--no-preflight", "load new modules without trying them in a child process") {
            $0.triesModules = false
        },
        .seconds("--preflight-timeout", "limit each step of that trial", else: defaults.preflightLimit) {
            $0.preflightLimit = $1
        },
        .seconds("--step-timeout", "limit a module's start, stop and blocking", else: defaults.stepLimit) {
            $0.stepLimit = $1
        },
        .seconds("--drain-timeout", "limit commands when the host ends", else: defaults.drainLimit) {
            $0.drainLimit = $1
        },
        .flag("--json", "print one object per command, on one line") { $0.isJSON = true }.not("play"),
        .flag("--keep-going", "run the rest of a script after an error, and still exit non-zero") {
            $0.keepsGoing = true
        },
        .flag("--yes", "answer yes to every confirmation") { $0.answersYes = true },
        .init("--size COLUMNSxROWS", "lay screens out for this size; default: the terminal's, else 80x24") {
            $0.size = try Options.size($1)
        },
        .flag("--no-pager", "print long results as they are, instead of in $PAGER") { $0.usesPager = false },
        .flag("--no-color", "print no colours; also: NO_COLOR in the environment") { $0.allowsColor = false },

        .init("--scene NAME", "attach to the scene of this name, which keeps its screens") { $0.scene = $1 }
            .of("attach"),
        .init(
            "--allow reads|changes|destroys|code",
            "limit what a program, or a sandbox on a server, may do; default: reads"
        ) {
            $0.permission = try Options.choice($1, of: "--allow")
        }.of("mcp", "--sandbox"),
        .init("--module PATH", "check a library, folder or package before it is used") { $0.candidate = $1 }
            .of("verify"),
        .init("--from LINE", "show a play from this line of the file on; those before are run unseen") {
            $0.firstLine = try Options.line($1)
        }.of("play"),
        .init("--from sqlite:DIR", "copy the data of this data folder") {
            $0.dataFolder = try Options.copiedFolder($1)
        }.of("database copy", isNeeded: true),
        .init("--to URL", "use this database") { $0.database = $1 }
            .of("database copy", "database migrate", isNeeded: true),
        .init(
            "--template minimal|crud|form|service|infrastructure|contract", "use a template; default: minimal"
        ) { $0.template = $1 }.of("new"),
        .init("--path DIR", "create the package in this folder") { $0.parentFolder = $1 }.of("new"),
        .flag("--debug", "run the host under the debugger LLDB") { $0.debugs = true }.of("dev"),
        .flag("--update", "accept the actual output of transcripts, or of a module's stories") {
            $0.updates = true
        }.of("test", "--module"),
        .init("--xunit FILE", "write the results as JUnit does") { $0.xunitFile = $1 }.of("test").once(),
        .init("--html FILE", "write the results as a page") { $0.htmlFile = $1 }.of("test").once(),
        .init("--tag NAME,…", "play the transcripts with one of these tags") {
            $0.tags += try Options.tags($1)
        }.of("test"),
        .seconds("--timeout", "limit a line of a transcript", else: Options.standardLineLimit) {
            $0.lineLimit = $1
        }.of("test", "play"),
        .init("--define NAME=PATH…", "call a path $NAME in transcripts; may be repeated") {
            $0.definitions.append(try PathDefinition($1))
        }.of("test", "record", "play"),
        .flag("--auto", "play without waiting for Enter") { $0.isAutomatic = true }.of("play"),
        .init("--speed FACTOR", "play faster, above 1, or slower; default: 1") {
            $0.speed = try Options.speed($1)
        }.of("play"),
        .init("--cast FILE", "write the play for asciinema's player") { $0.castFile = $1 }.of("play").once(),
        .init("--svg FILE", "write the play as an animated picture") { $0.svgFile = $1 }.of("play").once(),
        .init("--html FILE", "write the play as a page") { $0.htmlFile = $1 }.of("play").once(),
        .init("--html FILE", "write the page into this file") { $0.htmlFile = $1 }
            .of("stories", isNeeded: true).once(),
        .flag("--replace", "replace an existing transcript") { $0.replaces = true }.of("record"),
        .init("--key FILE", "sign the index with this minisign key, which has no password") {
            $0.signingKey = $1
        }.of("repository index"),
        .flag("--version", "print the version") { $0.mode = .version },
        .flag("--help", "print this; also: -h and help") { $0.mode = .help },
    ]
}
