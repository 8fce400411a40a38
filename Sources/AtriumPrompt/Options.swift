package import AtriumCommands
package import AtriumKit
package import AtriumLibraries
package import AtriumManifest
package import AtriumModules
package import AtriumText
internal import Glibc

/// The options of the command line, which ``OptionDeclaration/all`` declares.
package struct Options: Sendable {
    package var mode = Mode.automatic
    package var isJSON = false
    package var environment: Environment?
    package var api: ServerURL?
    /// The file with the certificate authorities that sign for the server; default: the one in modules.json,
    /// else the system's.
    package var authority: String?
    package var dataFolder: String?
    package var database: String?
    package var configurationFile: String?
    package var logLevels: LogLevels?
    package var allowsColor = true
    package var keepsGoing = false
    package var answersYes = false
    var usesPager = true
    /// True if there is a pager; an empty `$PAGER` means none.
    var hasPager: Bool { usesPager && getenv("PAGER").map { $0.pointee != 0 } != false }
    package var isSupervised = true
    package var triesModules = true
    package var preflightLimit = Duration.seconds(5)
    package var stepLimit = Duration.seconds(10)
    package var drainLimit = Duration.seconds(10)
    package var selection = ModuleSelection.all
    package var template: String?
    package var parentFolder: String?
    package var signingKey: String?
    package var debugs = false
    package var attaches = false
    package var scene: String?
    package var permission: Permission?
    package var isAlone = false
    /// True for a host on a copy of the data folder.
    package var isSandbox = false
    /// The time at which the host's clock stands; nil for the system's.
    package var clock: Timestamp?
    /// The file into which requests and answers are recorded.
    package var httpRecording: String?
    /// True if that file is continued; else it is replaced.
    package var continuesRecording = false
    /// The recording that answers requests instead of a server.
    package var httpReplay: String?
    package var candidate: String?
    package var size: TerminalSize?
    package var updates = false
    package var xunitFile: String?
    /// The tags of the transcripts to play; empty for all.
    package var tags: [String] = []
    package var lineLimit: Duration?
    package static let standardLineLimit = Duration.seconds(60)
    /// True if a play does not wait for Enter.
    package var isAutomatic = false
    /// The factor for the pace of a play.
    package var speed = 1.0
    /// The line of the file from which a play is shown.
    package var firstLine: Int?
    package var castFile: String?
    package var svgFile: String?
    package var htmlFile: String?
    package var definitions: [PathDefinition] = []
    package var replaces = false
    /// The names of the options and commands on the command line.
    var given: Set<String> = []

    package enum Mode: Hashable, Sendable {
        /// A user at a terminal, else standard input.
        case automatic
        case script(String)
        case file(String)
        case serve
        case mcp
        case verify
        case lock
        case backup(String)
        case restore(String)
        case new(String)
        case develop([String])
        case indexRepository(String)
        case copyDatabase
        case migrateDatabase
        case paths
        /// Print the paths of the documents for authors.
        case documents
        case test([String])
        case record(String)
        case play(String)
        /// Print a page of the stories.
        case stories
        /// Try new modules, as requested by a host in this folder.
        case preflight(String)
        /// Complete Swift code, as requested by a host in this file.
        case sourceKit(String)
        case help
        case version
        /// Print the manual page.
        case manual
        /// Print what can follow these words, for a shell.
        case complete([String])
    }

    package init() {}

    /// - Throws: ``ShellError`` with code `usage`.
    package init(_ words: [String]) throws(ShellError) {
        if words.first == "--complete" {
            mode = .complete(Array(words.dropFirst()))
        } else {
            var parser = OptionParser(words)
            self = try parser.parse()
        }
    }

    /// True if modules are started; else they are only loaded.
    package var activates: Bool { ![.verify, .copyDatabase, .migrateDatabase].contains(mode) }

    package var isInteractive: Bool { (mode == .automatic || !developed.isEmpty) && isAtTerminal && !isJSON }

    private var isAtTerminal: Bool { isatty(0) == 1 && isatty(HostOutput.standardOutput) == 1 }

    /// True if a user types the recorded lines.
    package var recordsPerson: Bool { isAtTerminal }

    /// True if a running host can do what these options ask for.
    package var canAttach: Bool {
        switch mode {
        case .automatic, .script, .file, .mcp, .stories: !isSandbox
        default: false
        }
    }

    /// False for a sandbox that may change nothing on a server.
    package var allowsServerChanges: Bool {
        !isSandbox || httpReplay != nil || permission?.allows(.changes) == true
    }

    package var developed: [String] { if case .develop(let folders) = mode { folders } else { [] } }

    var transcripts: [String] { if case .test(let files) = mode { files } else { [] } }
}
