import AtriumKit
import AtriumManifest
import AtriumModules
import Testing

@testable import AtriumPrompt
@testable import AtriumText

@Suite("Options of the command line")
struct OptionsTests {
    private func refusal(_ words: String...) -> ShellError? {
        let error = #expect(throws: ShellError.self) { try Options(words) }
        #expect(error?.code == "usage")
        #expect(error?.category == .usage)
        return error
    }

    @Test("Without options every setting has its default")
    func defaults() throws {
        let options = try Options([])

        #expect(options.mode == .automatic)
        #expect(!options.isJSON && !options.keepsGoing && options.allowsColor)
        #expect(options.environment == nil)
        #expect(options.dataFolder == nil)
        #expect(options.configurationFile == nil)
    }

    @Test("Each option is read, with its value after it or after an equals sign")
    func options() throws {
        let options = try Options([
            "--json", "--no-color", "--keep-going", "--no-supervisor", "--data", "/d", "--config=c=d.json",
            "--env",
            "mock",
        ])

        #expect(options.isJSON && options.keepsGoing && !options.allowsColor)
        #expect(options.dataFolder == "/d")
        #expect(options.configurationFile == "c=d.json")
        #expect(options.environment == .mock)
        #expect(options.api == nil)
        #expect(try Options(["--api", "http://host:1/a"]).api == ServerURL("http://host:1/a"))
        #expect(try Options(["--ca", "ca.pem"]).authority == "ca.pem")
        #expect(try Options(["repository", "index", "d", "--key", "k"]).signingKey == "k")
        #expect(try Options(["--env=live", "--data="]).environment == .live)
        #expect(try Options(["--data="]).dataFolder == "")
    }

    @Test("Modules are chosen by names, with commas or by repeating the option")
    func selection() throws {
        #expect(try Options([]).selection == .all)
        #expect(try Options(["--safe"]).selection == ModuleSelection.none)
        #expect(try Options(["--only", "A,B", "--only=C"]).selection == .only(["A", "B", "C"]))
        #expect(try Options(["--without=A", "--without", "B,C"]).selection == .without(["A", "B", "C"]))
    }

    @Test("Two ways to choose modules, and a list with an empty name, are errors")
    func badSelection() {
        let both = refusal("--safe", "--without", "A")
        let empty = refusal("--only", "A,,B")

        #expect(both?.message == "Only one of '--safe', '--only' and '--without' can be given.")
        #expect(empty?.message == "'A,,B' is not a list of modules.")
        #expect(refusal("--only", "A", "--without", "B") != nil)
    }

    @Test("The time limit of a step is a number of seconds")
    func stepTimeout() throws {
        #expect(try Options([]).stepLimit == .seconds(10))
        #expect(try Options(["--step-timeout", "0.5"]).stepLimit == .milliseconds(500))
        #expect(try Options(["--step-timeout", "1.005"]).stepLimit == .milliseconds(1_005))
        #expect(
            refusal("--step-timeout", "0")?.message
                == "'--step-timeout' takes 0.001 to 3600 seconds, not '0'.")
    }

    @Test("A recording of requests needs the name of a file", arguments: ["", "+"])
    func recordingWithoutName(file: String) {
        #expect(
            refusal("--record-http", file)?.message == "--record-http needs the name of a file.")
    }

    @Test("A sandbox has no supervisor, attaches to no host, and changes a server only if allowed")
    func sandbox() throws {
        let options = try Options(["--sandbox", "-c", "where"])

        #expect(options.isSandbox && !options.isSupervised && !options.canAttach)
        #expect(!options.allowsServerChanges)
        #expect(try Options(["--sandbox", "--allow", "changes"]).allowsServerChanges)
        #expect(try !Options(["mcp", "--sandbox", "--allow", "reads"]).allowsServerChanges)
        #expect(try Options(["mcp"]).allowsServerChanges)
        #expect(refusal("attach", "--sandbox")?.message == "'attach' takes no '--sandbox'.")
        #expect(
            refusal("backup", "b", "--sandbox")?.message
                == "'--sandbox' belongs to a prompt, '-c', 'run', 'serve' and 'mcp'.")
    }

    @Test("A clock stands at a time, with or without seconds")
    func clock() throws {
        let time = Timestamp(rfc3339: "2026-01-01T09:00:00Z")

        #expect(try Options(["--clock", "2026-01-01T09:00:00Z"]).clock == time)
        #expect(try Options(["--clock=2026-01-01T10:00+01:00"]).clock == time)
        #expect(refusal("--clock", "noon")?.message == "'--clock' takes a time, not 'noon'.")
        #expect(refusal("--clock", "2026-13-01T09:00Z")?.hint == "--clock 2026-01-01T09:00:00Z")
    }

    @Test("A size has columns and rows")
    func size() throws {
        #expect(try Options([]).size == nil)
        #expect(try Options(["--size", "40x10"]).size == TerminalSize(columns: 40, rows: 10))
        #expect(try Options(["--size=20x5"]).size == TerminalSize(columns: 20, rows: 5))
        #expect(try Options(["--size=1000x1000"]).size == TerminalSize(columns: 1_000, rows: 1_000))
    }

    @Test(
        "A size that is malformed, too small or too large is an error",
        arguments: ["", "40", "x", "40x", "40x10x2", "40 x 10", "19x24", "80x4", "1001x24", "80x1001", "a×b"])
    func badSize(_ text: String) {
        let error = refusal("--size", text)

        #expect(error?.message == "'\(text)' is not a size: 20 to 1000 columns, an x, 5 to 1000 rows.")
        #expect(error?.hint == "--size 80x24")
    }

    @Test(
        "Each mode is read",
        arguments: [
            (["-c", "open a; back"], .script("open a; back")), (["run", "demo.txt"], .file("demo.txt")),
            (["--help"], .help), (["-h"], .help), (["help"], .help), (["--version"], .version),
            (["-c", "--help"], .script("--help")), (["-c", "a", "--help"], .help),
            (["--data", "d", "backup", "b"], .backup("b")), (["backup", "--data", "d", "b"], .backup("b")),
            (["backup", "b", "--data=d"], .backup("b")), (["restore", "--data=d", "b"], .restore("b")),
            (["run", "--json", "verify"], .file("verify")), (["restore", "--help"], .help),
            (["new", "Notes"], .new("Notes")), (["new", "--path", "d", "Notes"], .new("Notes")),
            (["new", "Notes", "--template=crud"], .new("Notes")), (["--paths"], .paths),
            (["dev"], .develop(["."])), (["dev", "a", "--debug", "b"], .develop(["a", "b"])),
            (["docs"], .documents), (["docs", "--json"], .documents),
            (["repository", "index", "d"], .indexRepository("d")),
            (["repository", "index", "--key=k", "d"], .indexRepository("d")),
        ] as [([String], Options.Mode)])
    func modes(_ words: [String], _ mode: Options.Mode) throws {
        #expect(try Options(words).mode == mode)
    }

    @Test("An unknown option is an error that suggests the nearest")
    func unknown() {
        let near = refusal("--jsno")
        let far = refusal("frobnicate")

        #expect(near?.message == "There is no option '--jsno'.")
        #expect(near?.hint == "Did you mean '--json'? 'atrium --help' lists them.")
        #expect(far?.message == "There is no option 'frobnicate'.")
        #expect(far?.hint == "'atrium --help' lists them.")
    }

    @Test("A missing or needless value is an error")
    func values() {
        #expect(refusal("--data")?.message == "'--data' needs DIR after it.")
        #expect(refusal("--config")?.message == "'--config' needs FILE after it.")
        #expect(refusal("--env")?.message == "'--env' needs mock|local|live after it.")
        #expect(refusal("-c")?.message == "'-c' needs 'LINE; …' after it.")
        #expect(refusal("run")?.message == "'run' needs FILE|- after it.")
        #expect(refusal("backup", "--json")?.message == "'backup' needs FILE after it.")
        #expect(refusal("restore", "--data", "d")?.message == "'restore' needs FILE after it.")
        #expect(refusal("restore", "--json=b")?.message == "'--json' takes no value.")
        #expect(refusal("run")?.hint == "'atrium --help' shows how.")
        #expect(refusal("repository", "index")?.message == "'repository index' needs DIR after it.")
        #expect(refusal("repository", "d")?.message == "'repository' needs 'index DIR' after it.")
        #expect(refusal("repository")?.message == "'repository' needs 'index DIR' after it.")
        #expect(refusal("repository index", "d")?.message == "'repository index' is two words, not one.")
        #expect(refusal("test", "-")?.message == "'test' takes FILE…, not standard input.")
        #expect(refusal("test", "a.transcript", "-")?.hint == "A file of that name is './-'.")
        #expect(refusal("--key", "k")?.message == "'--key' belongs to 'repository index'.")
        #expect(refusal("new", "--path", "d")?.message == "'new' needs NAME after it.")
        #expect(refusal("--path", "d")?.message == "'--path' belongs to 'new'.")
        #expect(refusal("--json=yes")?.message == "'--json' takes no value.")
    }

    @Test("An unknown environment is an error")
    func environments() {
        let near = refusal("--env", "mok")
        let far = refusal("--env=")

        #expect(near?.message == "'--env' takes 'mock', 'local' or 'live', not 'mok'.")
        #expect(near?.hint == "Did you mean 'mock'?")
        #expect(far?.message == "'--env' takes 'mock', 'local' or 'live', not ''.")
        #expect(far?.hint == "'atrium --help' shows how.")
    }

    @Test(
        "An invalid server URL is an error that hides secrets",
        arguments: [
            ("", "", "it does not begin with http:// or https://"),
            ("http://h:99999", "http://h:99999", "its port is not a number from 1 to 65535"),
            (
                "http://ada:hunter2@h", "http://…@h",
                "it has a name or a password, which belong to 'session sign-in'"
            ),
        ])
    func badServer(_ text: String, _ shown: String, _ reason: String) {
        let error = refusal("--api", text)

        #expect(error?.message == "'--api' takes the URL of a server, not '\(shown)': \(reason).")
        #expect(error?.hint == "--api http://127.0.0.1:8787")
    }

    @Test("The error about a URL without its option hides the password")
    func lostServer() {
        #expect(refusal("http://ada:hunter2@h")?.message == "There is no option 'http://…@h'.")
    }

    @Test(
        "Only one script can be given",
        arguments: [
            (["-c", "a", "-c", "b"], "'-c' can be given only once."),
            (["-c", "a", "run", "b"], "Only one of '-c' and 'run' can be given."),
            (["run", "a", "run", "b"], "'run' can be given only once."),
            (["attach", "--alone"], "'attach' takes no '--alone'."),
            (["--record-http", "a", "--record-http=b"], "'--record-http' can be given only once."),
            (["test", "a", "--html", "b", "--html", "c"], "'--html' can be given only once."),
        ])
    func twoScripts(_ words: [String], _ message: String) {
        let error = #expect(throws: ShellError.self) { try Options(words) }

        #expect(error?.message == message)
    }

    @Test(
        "An option of other modes is an error that names them",
        arguments: [
            (
                ["--key", "k"], "'--key' belongs to 'repository index'.",
                "atrium repository index DIR [--key FILE]"
            ),
            (
                ["serve", "--alone"], "'--alone' belongs to a prompt, '-c', 'run' and 'mcp'.",
                "atrium --alone"
            ),
            (["test", "a", "--data", "d"], "'test' takes no '--data'.", "Leave it out."),
            (
                ["database", "copy", "--to", "u"], "'database copy' needs '--from sqlite:DIR'.",
                "atrium database copy --from sqlite:DIR --to URL"
            ),
        ])
    func modesOfOptions(_ words: [String], _ message: String, _ hint: String) {
        let error = #expect(throws: ShellError.self) { try Options(words) }

        #expect(error?.message == message)
        #expect(error?.hint == hint)
    }

    @Test(
        "'--help' and '--version' take precedence over a script",
        arguments: [
            ["--help", "-c", "a"], ["-c", "a", "--help"],
        ])
    func helpFirst(_ words: [String]) throws {
        #expect(try Options(words).mode == .help)
        #expect(try Options(words.map { $0 == "--help" ? "--version" : $0 }).mode == .version)
    }

    @Test("The help, the manual page and completion have every option")
    func texts() {
        let completed = OptionTexts.completions(after: ["--json"]).split(separator: "\n")

        for option in OptionDeclaration.all where !option.summary.isEmpty {
            #expect(OptionTexts.help.contains(option.form))
            #expect(OptionTexts.manual.contains(".BI \"\(option.name.replacing("-", with: "\\-"))\""))
            #expect(completed.contains { $0.hasPrefix("\(option.name.prefix { $0 != " " }) ") })
        }
    }

    @Test(
        "Completion offers the values of an option, the second word of a command, and no names of files",
        arguments: [
            (["--json", "--env"], "mock\nlocal\nlive"), (["--env", "="], "mock\nlocal\nlive"),
            (["mcp", "--allow"], "reads\nchanges\ndestroys\ncode"), (["database"], "copy\nmigrate"),
            (["repository"], "index"),
            (["repository", "index"], ""), (["--data"], ""), (["run"], ""),
        ])
    func completions(_ words: [String], _ candidates: String) throws {
        #expect(OptionTexts.completions(after: words) == candidates)
        #expect(try Options(["--complete"] + words).mode == .complete(words))
    }
}
