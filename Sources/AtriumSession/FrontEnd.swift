package import AtriumKit
package import AtriumLanguage
package import AtriumRedirection
package import AtriumText
internal import Glibc

/// A front end's description of itself: how lines are run for it, and how results look.
package struct FrontEndDescription: Sendable {
    /// The name in `scenes`; nil if there is none.
    package var name: String? = "atrium \(HostVersion.current)"
    /// The name of the scene; nil for a new one.
    package var scene: String?
    /// The working folder, at which relative paths begin; nil for the host's.
    package var folder: String?
    /// The size of the terminal; nil without one.
    package var size: TerminalSize?
    /// The width for errors; nil if they do not go to a terminal.
    package var errorColumns: Int?
    /// True if a user types the lines.
    package var isPerson = false
    package var isJSON = false
    package var keepsGoing = false
    package var answersYes = false
    /// True if results go to a terminal, and are cut to its width.
    package var isTerminal = false
    /// True if the terminal can redraw its content in place.
    package var drawsPictures = false
    package var isColored = false
    package var colorsErrors = false
    /// True if results longer than the screen are shown in a pager.
    package var hasPager = false
    /// True if the user chose the size.
    package var isSizeFixed = false
    /// True if actions may read its standard input.
    package var givesInput = false
    /// True if it acknowledges that it has written its output.
    package var acknowledges = false
    /// True if the scene was lost with a host that crashed.
    package var resumes = false

    package init(_ set: (inout Self) -> Void = { _ in }) { set(&self) }

    package var style: TextStyle { TextStyle(isColored: isColored && !isJSON) }
    package var errorStyle: TextStyle { TextStyle(isColored: colorsErrors && !isJSON) }
}

// The description in the protocol; Docs/protocol.md.
extension FrontEndDescription {
    /// The members of `hello` that are true or false.
    private static var flags: [(String, WritableKeyPath<FrontEndDescription, Bool>)] {
        [
            ("person", \.isPerson), ("json", \.isJSON), ("keepGoing", \.keepsGoing), ("yes", \.answersYes),
            ("terminal", \.isTerminal), ("pictures", \.drawsPictures), ("color", \.isColored),
            ("errorColor", \.colorsErrors), ("pager", \.hasPager), ("sizeIsFixed", \.isSizeFixed),
            ("input", \.givesInput), ("acknowledges", \.acknowledges), ("resumes", \.resumes),
        ]
    }

    private static var texts: [(String, WritableKeyPath<FrontEndDescription, String?>)] {
        [("client", \.name), ("scene", \.scene), ("folder", \.folder)]
    }

    package init(_ parameters: RPCParameters) {
        for (key, path) in Self.flags { self[keyPath: path] = parameters.flag(key) }
        for (key, path) in Self.texts { self[keyPath: path] = parameters.text(key) }
        name = name.map { String($0.printableLine.prefix(80)) }
        folder = folder.flatMap { $0.hasPrefix("/") ? $0 : nil }
        size = TerminalSize(parameters)
        errorColumns = parameters.number("errorColumns").map { max(20, min(10_000, $0)) }
        isTerminal = isTerminal && size != nil
        drawsPictures = isTerminal && drawsPictures
    }

    /// The parameters of `hello`, with the options that the host must have.
    package func hello(_ options: JSONObject = [:]) -> JSONObject {
        var json: JSONObject = ["protocol": .integer(Int64(HostIdentity.protocolVersion))]
        for (key, path) in Self.flags where self[keyPath: path] { json[key] = true }
        for (key, path) in Self.texts { self[keyPath: path].map { json[key] = .string($0) } }
        if let size { for member in size.json.members { json[member.key] = member.value } }
        errorColumns.map { json["errorColumns"] = .integer(Int64($0)) }
        json["options"] = .object(options)
        return json
    }
}

extension TerminalSize {
    /// The size in a message; nil if it has none.
    package init?(_ parameters: RPCParameters) {
        guard let columns = parameters.number("columns"), let rows = parameters.number("rows"),
            (1...10_000).contains(columns), (1...10_000).contains(rows)
        else { return nil }
        self.init(columns: columns, rows: rows)
    }

    package var json: JSONObject { ["columns": .integer(Int64(columns)), "rows": .integer(Int64(rows))] }
}

/// An event that a session reports to its front end, in order.
package enum SessionEvent {
    /// A user's line has begun: it can be cancelled from now on.
    case began
    /// Text of the running line, for standard output or standard error.
    case output(String)
    case error(String)
    /// Text for a terminal, with control sequences.
    case screen(String)
    /// Text above the prompt, which may have changed.
    case above(String, prompt: String)
    /// The line to keep in the history, without secrets; nil to keep none.
    case history(String?)
    /// The terminal's echo is turned on, or off while a picture is shown.
    case echo(Bool)
    /// The connection to the host was lost, or restored; the front end reports it.
    case lost(String)
    case restored(String, crash: ShellError?)
    /// The host has ended for a reason.
    case end
}

/// A front end: it shows what a session reports, and answers its questions.
@MainActor
package protocol FrontEnd: AnyObject {
    func receive(_ event: SessionEvent)
    /// Asks the user for a secret.
    ///
    /// - Throws: `CancellationError` to cancel the command.
    func secret(_ name: String) async throws -> String
    /// Lets a program's user confirm an action, by its question and summary; nil if the program has none who
    /// answers.
    func confirm(_ question: String, doing summary: String) async throws -> Bool?
    /// The next bytes of standard input; nil at its end.
    func input() async throws -> [UInt8]?
    /// An environment variable of the front end's process.
    func environment(_ name: String) async throws -> String?
    /// Opens a file or program that receives the result of a command.
    func open(_ destination: OutputRedirection) async throws -> any ResultTarget
    /// Waits while the front end lags far with its output.
    func drained() async
    /// Waits until the output so far was written.
    ///
    /// - Throws: ``ShellError`` if it can't be.
    func written() async throws
}

extension FrontEnd {
    package func confirm(_ question: String, doing summary: String) async throws -> Bool? { false }
    package func environment(_ name: String) async throws -> String? {
        getenv(name).map { String(cString: $0) }
    }
    package func drained() async {}
    package func written() async throws {}
}
