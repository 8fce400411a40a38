@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumText
internal import AtriumViews

/// The commands about the log.
extension HostCommands {
    @ActionsBuilder var log: [Action] {
        Action(
            "log", "Show the newest lines of the log, or follow it", effect: .reads,
            Argument<String?>("module", "Only its lines", suggestions: logNames),
            Argument<TypedLevel?>("level", "Only lines of this level and above"),
            Argument("last", "Number of lines", default: 20),
            Argument<String?>("search", "Only lines with this text, in any case"),
            Argument("follow", "Print further lines above the prompt, too", default: false),
            Argument("end", "Stop following", default: false)
        ) { module, level, count, text, follows, ends in
            if ends {
                let message =
                    scene.logFollower == nil ? "The log is not followed." : "The log is no longer followed."
                scene.logFollower = nil
                return .content(Content(), message)
            }
            guard count >= 0 else {
                throw ArgumentError(
                    .invalidArgument, "'last' must be at least 0, not \(count).", hint: "log --last 20")
            }
            let filter = LogFilter(module: try module.map(logged), level: level?.level, text: text)
            let lines = try host.logFile.lines(filter, last: count)
            guard follows else { return .content(LogViews.list(lines)) }
            scene.follow(filter)
            let present = lines.isEmpty ? Content() : LogViews.list(lines)
            return .content(present, "Following the log; 'log --end' ends it.")
        }
        Action(
            "log level", "Show or set the lowest level of messages that each module logs",
            effect: .changes,
            Argument<String?>("module", "The module", suggestions: logNames),
            Argument<TypedLevel?>("level", "The lowest level to keep"),
            Argument<Seconds?>("for", "Time limit, such as 10m; default: until the host ends")
        ) { module, level, time in
            guard let module else { return .content(LogViews.levels(host.logFile.levels)) }
            let name = try logged(module)
            if let time, time.duration <= .zero || time.duration > .seconds(86_400) {
                throw ArgumentError(
                    .invalidArgument,
                    "'for' must be longer than 0 s and at most 24h, not '\(time.argumentText)'.",
                    hint: "log level \(name) debug --for 10m")
            }
            guard let level else {
                guard time == nil else {
                    throw ArgumentError(
                        .missingArgument, "'log level' needs a level before '--for'.",
                        hint: "log level \(name) debug --for 10m")
                }
                return .content(
                    Content { Field("level", LogLevels.name(of: host.logFile.levels.level(of: name))) })
            }
            host.logFile.keep(level.level, of: name, for: time?.duration)
            let end = time.map { "for \($0.duration.words)" } ?? "until the host ends"
            return .content(
                Content(), "The log keeps lines of \(name) from level \(level.argumentText) on, \(end).")
        }
    }

    private var logNames: [String] { moduleNames + LogLevels.ownNames }

    /// The name as it is logged, of a module, of a part of the host, or of a module that was removed.
    private func logged(_ name: String) throws -> String {
        let isMeant = { (known: String) in known.lowercased() == name.lowercased() }
        if let known = logNames.first(where: isMeant) { return known }
        let logged = try host.logFile.lines(LogFilter(), last: .max)
        if let gone = logged.first(where: { isMeant($0.module) }) { return gone.module }
        throw ShellError.unknown(
            .unknownModule, name, among: logNames, else: "'modules' lists them."
        ) { "Nothing called '\($0)' writes to the log." }
    }
}

private struct TypedLevel: ArgumentValue {
    let level: LogLevel

    static let argumentTypeName = "a level"
    static var argumentChoices: [String] { LogLevels.names }
    var argumentText: String { LogLevels.name(of: level) }

    init?(argument: String) {
        guard let level = LogLevels.level(named: argument) else { return nil }
        self.level = level
    }
}

extension Scene {
    func follow(_ filter: LogFilter) {
        logFollower = host.logFile.follow(filter) { [weak self] lines, dropped in
            for line in lines { self?.announce(LogViews.text(of: line)) }
            if dropped > 0 { self?.announce("… \(dropped) more lines: log --last \(dropped)") }
        }
    }
}
