@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumLineEditor
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumText

extension HostCommands {
    @ActionsBuilder var shell: [Action] {
        Action(
            Self.help, "List the commands, or explain a command, action, link, module or type",
            effect: .reads,
            Argument<[String]>(
                "name", "What to explain; an action of a screen: LINK ACTION; a function: TYPE.NAME",
                default: [])
        ) { words in
            .content(try await Help(scene: scene).explanation(of: words))
        }
        // Prefixes of commands: they only get here if no command follows.
        Action(
            PrefixedCommand.assignmentWord,
            "Keep the result of a command: let NAME = COMMAND, used as $NAME or $NAME.rows[0].id",
            effect: .reads,
            Argument<[String]>("words", "The name, '=' and the command", default: [])
        ) { _ in
            throw ArgumentError(
                .invalidArgument, "'let' takes a name of letters, digits and _, then '=' and a command.",
                hint: "let mine = entities")
        }
        Action(
            PrefixedCommand.repetitionWord, "Run a command several times: repeat N COMMAND", effect: .reads,
            Argument<[String]>("words", "The number and the command", default: [])
        ) { _ in
            throw ArgumentError(
                .invalidArgument,
                "'repeat' takes a number from 1 to \(PrefixedCommand.repetitions.upperBound), then a command.",
                hint: "repeat 3 where")
        }
        Action(
            PrefixedCommand.timingWord, "Run a command, and say how long it took: time COMMAND",
            effect: .reads,
            Argument<[String]>("words", "The command", default: [])
        ) { _ in
            throw ArgumentError(.invalidArgument, "'time' takes a command.", hint: "time modules")
        }
        Action(
            PrefixedCommand.aliasWord, "Give the beginning of a command a name, or list the names",
            effect: .reads,
            Argument<[String]>("words", "The name and the command; without them, list the names", default: [])
        ) { words in
            guard words.isEmpty else {
                throw ArgumentError(
                    .invalidArgument, "'alias' takes a name and a command.", hint: "alias ll modules --tree")
            }
            return .content(aliases)
        }
        Action(
            "source", "Run the commands in a file, as if they were typed here", effect: .reads,
            Argument<InputFile>("file", "The file, a command a line")
        ) { file in
            try await scene.source(file.path)
            return .content(Content())
        }
        Action(
            Assertion.word, "Fail unless a comparison is true, for scripts that are tests", effect: .reads,
            Argument<[String]>(
                "words", "Two values with \(Assertion.comparisons.joined(separator: " ")) between")
        ) { words in
            try Assertion.check(words)
            return .content(Content())
        }
        Action(
            "live", "Show a screen as it changes, until Ctrl-C", effect: .reads,
            Argument<String?>("link", "The screen; default: the current one", suggestions: links),
            Argument<Seconds?>("for", "End after this many seconds"),
            Argument<Int?>("changes", "End after this many changes")
        ) { link, time, changes in
            try await live(link, for: time, changes: changes)
        }
        Action(
            "watch", "Print changes of a screen while other commands run, or list the watched ones",
            effect: .reads,
            Argument<String?>("link", "The screen; without it, list the watched ones", suggestions: links),
            Argument("end", "Stop watching it, or all", default: false)
        ) { link, ends in
            if ends { return .content(Content(), try endWatching(link)) }
            guard let link else { return .content(watched) }
            try await scene.watches.watch(link, version: host.runtime.container.version) {
                let stack = try await preview(link)
                guard let screen = try await stack.loadedScreen() else {
                    throw ArgumentError(
                        .invalidArgument, "'\(link.shortened)' has no screen to watch.", hint: "links")
                }
                return (stack, screen.view)
            }
            return .content(Content(), "Watching '\(link)'; 'watch \(link) --end' ends it.")
        }
        Action("jobs", "List the commands that run or wait", effect: .reads) {
            let jobs = scene.display.jobs
            return .content(
                Content {
                    if jobs.all.isEmpty { Notice(.information, "No command is running.") }
                    Table(jobs.all) {
                        Column("number") { $0.number }
                        Column("command") { $0.text }
                        Column("state") { $0.state }
                        Column("link") { $0.link }
                        Column("elapsed") { jobs.elapsed($0).words }
                    }
                })
        }
        Action(
            "wait", "Wait until commands that were started with '&' have ended", effect: .reads,
            Argument<Int?>("number", "The number in 'jobs'; default: all")
        ) { number in
            guard let number else {
                for job in scene.display.jobs.inBackground { try await scene.display.jobs.wait(for: job) }
                return .content(Content())
            }
            try await scene.display.jobs.wait(for: try job(number, "wait for it"))
            return .content(Content())
        }
        Action(
            "cancel", "Cancel a command that was started with '&'", effect: .reads,
            Argument<Int>("number", "The number in 'jobs'")
        ) { number in
            let job = try job(number, "cancel it")
            job.cancel()
            try await scene.display.jobs.wait(for: job)
            return .content(Content())
        }
        Action(
            "history", "List what was typed at prompts, without secrets", effect: .reads,
            Argument<String?>("text", "Only lines with this text, in any case"),
            Argument("limit", "How many lines, the newest", default: 50)
        ) { text, limit in
            guard limit > 0 else {
                throw ArgumentError(
                    .invalidArgument, "'limit' must be at least 1, not \(limit).", hint: "history --limit 20")
            }
            return .content(history(with: text, limit))
        }
        Action(
            Self.exit, "Leave; everything is saved. Also: quit, q", effect: .navigates,
            Argument<Int?>("status", "The exit code of the process, 0 to 255; default: 0"),
            Argument(
                "restart", "Start the host again: it keeps modules, their state and the screens",
                default: false), Action.yes
        ) { status, restarts, _ in
            scene.staysOnExit = restarts
            if restarts { return try restart(status) }
            if let status {
                guard (0...255).contains(status) else {
                    throw ArgumentError(
                        .invalidArgument, "The exit code must be 0 to 255, not \(status).", hint: "exit 3")
                }
                scene.exitStatus = ExitStatus(rawValue: Int32(status))
            }
            return .content(Content())
        }
    }

    /// - Throws: ``UnconfirmedChange`` if anything would be lost.
    private func restart(_ status: Int?) throws -> ActionResult {
        guard status == nil else {
            throw ArgumentError(
                .invalidArgument, "A host that restarts has no exit code.", hint: "exit --restart")
        }
        guard let restart = host.restart else {
            throw ShellError(
                "unsupported",
                "This host ends with the script or program that it runs for; the next one is a new start.",
                hint: "exit --restart at the prompt, or attached to 'atrium serve'")
        }
        let recording = host.callRecorder == nil ? [] : ["The recording of calls ends."]
        let losses = host.lossesByRestart + recording + host.scenes.flatMap(\.lossesByRestart)
        guard losses.allSatisfy(UnconfirmedChange.confirmed.contains) else {
            throw UnconfirmedChange(doubts: losses)
        }
        scene.staysOnExit = scene.client?.isPerson == true
        restart(scene)
        return .content(
            Content(), "Restarting the host; it keeps its modules, their state and the screens.")
    }

    private func history(with text: String?, _ limit: Int) -> Content {
        let lines = scene.host.historyFile.map { HistoryFile(path: $0).load().lines } ?? []
        let found = lines.enumerated().filter { line in
            text.map { line.element.lowercased().contains($0.lowercased()) } ?? true
        }
        return Content {
            Table(Array(found.suffix(limit))) {
                Column("number", label: "No.") { $0.offset + 1 }
                Column("line") { $0.element }
            }
            if found.isEmpty {
                Notice(
                    .information,
                    text == nil ? "The history is empty." : "No line of the history has this text.")
            }
        }
    }

    /// The background command with a number.
    private func job(_ number: Int, _ what: String) throws -> RunningJobs.Job {
        guard let job = scene.display.jobs.all.first(where: { $0.number == number }) else {
            throw ArgumentError(.notFound, "There is no job \(number).", hint: "jobs")
        }
        guard job.isInBackground else {
            throw ArgumentError(
                .invalidArgument,
                "Job \(number), '\(job.text.excerpt)', is not in the background, so nothing can \(what).",
                hint: job.awaited == nil ? "Ctrl-C cancels it." : "Answer its screen, or leave it: back")
        }
        return job
    }

    private var aliases: Content {
        Content {
            if scene.aliases.isEmpty {
                Notice(.information, "There is no alias.", hint: "alias ll modules --tree")
            }
            Table(scene.aliases.sorted { $0.key < $1.key }) {
                Column("name") { $0.key }
                Column("command") { $0.value.text }
            }
        }
    }

    private func preview(_ link: String) async throws -> Coordinator {
        let stack = scene.coordinator.detached()
        do {
            try await stack.open(Link(link))
        } catch let error as NavigationError where error.code == .unknownLink {
            throw host.reasonAgainst(try Link(link)) ?? error
        }
        return stack
    }

    private func endWatching(_ link: String?) throws -> String {
        guard let link else {
            scene.watches.stopAll()
            return "No screen is watched now."
        }
        guard scene.watches.stop(link) else {
            throw ArgumentError(.notFound, "'\(link.shortened)' is not watched.", hint: "watch")
        }
        return "'\(link)' is no longer watched."
    }

    private var watched: Content {
        Content {
            if scene.watches.all.isEmpty { Notice(.information, "No screen is watched.", hint: "watch LINK") }
            Table(scene.watches.all) {
                Column("link") { $0.link }
                Column("changes") { $0.changes }
            }
        }
    }

    private func live(_ link: String?, for time: Seconds?, changes: Int?) async throws -> ActionResult {
        if let time, time.duration <= .zero || time.duration > .seconds(86_400) {
            throw ArgumentError(
                .invalidArgument,
                "'for' of 'live' must be a number of seconds up to 86400, not '\(time.argumentText)'.",
                hint: "live --for 10")
        }
        if let changes, changes < 1 {
            throw ArgumentError(
                .invalidArgument, "'changes' of 'live' must be 1 or more, not '\(changes)'.",
                hint: "live --changes 3")
        }
        guard !scene.isRedirected() else {
            throw ArgumentError(
                .invalidArgument, "'live' redraws the terminal, so it can't be redirected.",
                hint: "\(link ?? "where") > FILE")
        }
        let coordinator = if let link { try await preview(link) } else { scene.coordinator }
        if let arrival = try await coordinator.evaluateCurrentGuards() {
            return .updated(RedirectViews.message(arrival))
        }
        let view = try await coordinator.loadedScreen()?.view ?? Home(scene: scene)
        let entry = coordinator.currentEntry
        let session = LiveSession(
            view, at: entry?.link ?? scene.currentLink, on: scene.display,
            viewport: scene.viewport)
        coordinator.didMove = { [weak coordinator, weak session] in
            guard let coordinator, coordinator.currentEntry?.id != entry?.id else { return }
            session?.end(because: Self.departure(from: entry, on: coordinator))
        }
        defer { coordinator.didMove = nil }
        // An update meanwhile does not change the screen; the next command rebuilds it.
        let action = coordinator.beginAction()
        defer { coordinator.endAction(on: action) }
        let count = try await session.run(changes: changes, time: time?.duration)
        let ended = "live ended after \(RecordNoun("change").counted(count))"
        return .content(Content(), session.departure.map { "\(ended): \($0)" } ?? ended + ".")
    }

    private static func departure(from entry: StackEntry?, on coordinator: Coordinator) -> String {
        let present = coordinator.currentEntry?.link ?? "home"
        guard let entry, !coordinator.state.entries.contains(where: { $0.id == entry.id }) else {
            return "'\(present)' covers it."
        }
        return "'\(entry.link)' was left for '\(present)'."
    }
}

extension Scene {
    /// Sentences about what a restart of the host ends here.
    fileprivate var lossesByRestart: [String] {
        var lost = display.jobs.inBackground.map { "the command '\($0.text.excerpt)'" }
        lost += watches.all.map { "watching '\($0.link)'" }
        lost += variables().map { "$\($0)" }
        if !aliases.isEmpty { lost.append(RecordNoun("alias").counted(aliases.count)) }
        guard !lost.isEmpty else { return [] }
        return ["Scene '\(name)' loses \(lost.joined(separator: ", "))."]
    }
}
