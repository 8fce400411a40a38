internal import AtriumBackup
@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumManifest
internal import AtriumModules
package import AtriumNavigation
internal import AtriumRedirection
internal import AtriumSnippets
package import AtriumText

extension Interpreter {
    /// Performs a resolved command: reads arguments, enters the screen, asks, acts and shows the result.
    ///
    /// Messages name paths as they were typed.
    func perform(
        _ resolved: ResolvedCommand, _ request: Request, _ job: RunningJobs.Job
    ) async throws -> Reply.Output {
        host.willPerform()
        let coordinator = resolved.coordinator
        guard let action = resolved.action else {
            if let preview = resolved.preview { try await coordinator.enter(preview) }
            return try await show(coordinator)
        }
        let hasForms = resolved.isHost && HostCommands.milderForms[action.name] != nil
        if !hasForms { try permission.check(action.name, action.effect) }
        if resolved.isHost { try permission.check(command: action.name) }
        let paths = TypedPaths(scene)
        do {
            // Read arguments before anything is loaded, so that mistakes are reported at once.
            var values = try await arguments(request, action, resolved, job, paths)
            let effect = hasForms ? HostCommands.effect(of: action, values) : action.effect
            if hasForms { try permission.check(action.name, effect) }
            if !resolved.isHost { try requireFiles(of: action, values, resolved) }
            let files = try await standardFiles(for: action, &values, paths, isHost: resolved.isHost)
            if let preview = resolved.preview {
                try await coordinator.enter(preview, loading: action.loadsFirst)
            } else if !resolved.isHost {
                _ = try await coordinator.loadedScreen()
            }
            var output =
                if resolved.isHost, effect == .reads {
                    try await present(try await action.perform(values), on: resolved)
                } else {
                    try await act(action, effect, values, resolved, job)
                }
            output.message = output.message.map(paths.named)
            if files?.hasOutput == true { output.files = files }
            return output
        } catch let error as SnippetError {
            throw error.behind(resolved.column(of: request))
        } catch {
            throw paths.named(error)
        }
    }

    /// Checks that the module of an action may use the files that are named for it.
    private func requireFiles(
        of action: Action, _ values: ArgumentValues, _ resolved: ResolvedCommand
    ) throws {
        let files = action.arguments.filter { $0.isFile && values[$0.name] != nil }
        guard !files.isEmpty,
            let module = resolved.preview?.module ?? resolved.coordinator.currentEntry?.module
        else { return }
        for argument in files {
            try host.runtime.requireFiles(argument.isInputFile ? .import : .export, by: module)
        }
    }

    /// Asks, performs an action that may change something, and shows the result.
    private func act(
        _ action: Action, _ effect: Action.Effect, _ values: ArgumentValues, _ resolved: ResolvedCommand,
        _ job: RunningJobs.Job
    ) async throws -> Reply.Output {
        let coordinator = resolved.coordinator
        defer { if !resolved.isHost { coordinator.stateMayHaveChanged() } }
        // Show earlier replies even if the process does not survive this action; 'module add' also runs
        // foreign code, and is kept for the next start.
        if !resolved.isHost || action.effect != .navigates { try scene.display.flush() }
        var values = values
        if answersYes {
            let yes = Action.yes.description
            if action.arguments.contains(yes) { values[yes.name] = "yes" }
        }
        // A form that destroys nothing does not ask.
        let asks = effect == action.effect
        if asks, resolved.isHost { try HostCommands(scene: scene).checkCall(action, values) }
        let question = asks ? try question(resolved, action, values, job) : nil
        let run = try begin(action, values, asking: question, resolved, job)
        var started = resolved
        started.entry = coordinator.currentEntry?.id
        started.isPlan = resolved.isHost && values.isOn("plan")
        let output = try await output(of: run, started, job)
        if resolved.preview != nil, let link = coordinator.unsavedLink {
            throw ShellError(
                "notKept",
                "'\(link.shortened)' is not open, so the input of '\(action.name)' was not kept.",
                hint: "open \(link)", category: .refused)
        }
        return output
    }

    /// Begins an action before anything is awaited: work that starts on one generation of a module ends on it,
    /// whatever is updated meanwhile.
    private func begin(
        _ action: Action, _ values: ArgumentValues, asking question: String?, _ resolved: ResolvedCommand,
        _ job: RunningJobs.Job
    ) throws -> ActionRun {
        let coordinator = resolved.coordinator
        let work = resolved.isHost ? nil : try host.runtime.work.begin()
        let entry = resolved.isHost ? nil : coordinator.beginAction()
        let owner = resolved.preview?.module ?? coordinator.currentEntry?.module
        if !resolved.isHost { scene.display.progress = { resolved.progress } }
        let undo = resolved.changesData(values) ? host.undo : nil
        let ask = confirm ?? { [scene] in try await scene.coordinator.confirm($0, doing: $1) }
        return ActionRun { [host] in
            defer {
                coordinator.endAction(on: entry)
                if let work {
                    host.runtime.work.end(work)
                    host.runtime.restoreProcess(afterAction: action.name, of: owner)
                }
            }
            if let question, try await ask(question, action.summary) == false { throw Declined() }
            var confirmed: Set<String> = []
            while true {
                do {
                    guard !confirmed.isEmpty || undo != nil else { return try await action.perform(values) }
                    return try await UnconfirmedChange.$confirmed.withValue(confirmed) {
                        guard let undo else { return try await action.perform(values) }
                        return try await undo.performing(resolved.text) { try await action.perform(values) }
                    }
                } catch let change as UnconfirmedChange {
                    if values.isOn(Action.yes.description.name), confirmed.isEmpty {
                        confirmed = Set(change.doubts)
                        continue
                    }
                    let question = change.message + " Continue?"
                    try self.requireAnswer(to: question, action, job)
                    guard let isConfirmed = try await ask(question, action.summary) else {
                        throw change.unanswered
                    }
                    guard isConfirmed else { throw Declined() }
                    // Only these: a later doubt needs another answer.
                    confirmed = Set(change.doubts)
                }
            }
        }
    }

    /// The question to ask before an action is performed; nil for none.
    ///
    /// - Throws: ``ShellError`` with code `confirmationNeeded` if it can't be asked.
    private func question(
        _ resolved: ResolvedCommand, _ action: Action, _ values: ArgumentValues, _ job: RunningJobs.Job
    ) throws -> String? {
        let question = try resolved.question(values)
        if let question { try requireAnswer(to: question, action, job) }
        return question
    }

    /// - Throws: ``ShellError`` with code `confirmationNeeded` if a question can't be asked.
    private func requireAnswer(
        to question: String, _ action: Action, _ job: RunningJobs.Job
    ) throws(ShellError) {
        guard !canAsk || job.isInBackground || scene.isRedirected(), confirm == nil else { return }
        throw ShellError(
            "confirmationNeeded", "'\(action.name)' needs confirmation: \(question)",
            hint: "Add --yes to the command, or start the host with --yes.")
    }

    /// Substitutes files for arguments typed as `-`; nil if there were none.
    private func standardFiles(
        for action: Action, _ values: inout ArgumentValues, _ paths: TypedPaths, isHost: Bool
    ) async throws -> StandardFiles? {
        let streams = action.arguments.filter { $0.isFile && values[$0.name] == "-" }
        guard !streams.isEmpty else { return nil }
        guard !isHost, Set(streams.map(\.isInputFile)).count == streams.count else {
            throw ArgumentError(
                .invalidArgument, "'\(action.name)' takes a file, not '-'.",
                hint: "A file of that name is './-'.")
        }
        let files = try StandardFiles()
        paths.note(files)
        for argument in streams {
            if argument.isOutputFile {
                values[argument.name] = files.outputPath
                files.useOutput()
                continue
            }
            guard let read = scene.readInput else {
                throw ArgumentError(
                    .invalidArgument,
                    "'\(action.name)' can't read standard input: that is where the commands come from.",
                    hint: "atrium -c 'COMMAND -' < FILE, or name the file.")
            }
            try await files.fill(from: read)
            values[argument.name] = files.inputPath
        }
        return files
    }

    /// Waits until an action has ended, or waits for something that it presented.
    private func output(
        of run: ActionRun, _ resolved: ResolvedCommand, _ job: RunningJobs.Job
    ) async throws -> Reply.Output {
        switch await run.next() {
        case .waiting(let entry):
            suspended[entry.id] = Suspended(run: run, command: resolved, job: job)
            job.awaited = entry.link
            scene.display.endProgress()
            var output = try await show(scene.coordinator)
            if entry.isOfHost { output.asking = resolved.text }
            return output
        case .finished(let result):
            await scene.coordinator.settle()
            if case .failure(is Declined) = result { return try await declined(resolved) }
            let done = try result.get()
            var output: Reply.Output
            do {
                if let warning = done.warning {
                    output = Self.output(of: done, notShown: warning, resolved)
                } else {
                    output = try await present(done, on: resolved)
                }
            } catch  where resolved.hasEffect {
                output = Self.output(of: done, notShown: error, resolved)
            }
            if resolved.hasEffect { output.changes = [resolved.tool ?? resolved.text] }
            return output
        }
    }

    /// The output of a declined action, without a screen that was not loaded for it.
    private func declined(_ resolved: ResolvedCommand) async throws -> Reply.Output {
        let message = "Nothing was done."
        if resolved.preview != nil, resolved.action?.loadsFirst == false {
            return Reply.Output(message: message)
        }
        return try await present(.updated(message), on: resolved)
    }

    /// The message of an action that has made its change, when the screen that follows can't be shown.
    private static func output(
        of done: ActionResult, notShown error: any Error, _ resolved: ResolvedCommand
    ) -> Reply.Output {
        let reason = ShellError.explain(error)
        // The hints of API errors are about repeating the command, which is done.
        let hint = error.apiError.map { $0.isUnauthenticated } == false ? nil : reason.hint
        return Reply.Output(
            message: done.message ?? "'\(resolved.action?.name ?? "")' is done.",
            content: Content {
                Notice(.warning, "The screen that follows can't be shown: \(reason.message)", hint: hint)
            })
    }

    private func arguments(
        _ request: Request, _ action: Action, _ resolved: ResolvedCommand, _ job: RunningJobs.Job,
        _ paths: TypedPaths
    ) async throws -> ArgumentValues {
        var values: ArgumentValues
        switch request {
        case .call(let call): values = call.values
        case .command(let command):
            values = try read(command.words, for: action, resolved)
        }
        try await ArgumentReader.resolve(
            &values, of: action, path: paths.resolve,
            file: { try await UserFile.read($0, limit: ArgumentReader.longestSecret) },
            environment: scene.environment)
        guard let askSecret, !job.isInBackground else { return values }
        for argument in action.arguments where argument.isSecret && argument.isRequired {
            if values[argument.name] == nil { values[argument.name] = try await secret(argument, askSecret) }
        }
        return values
    }

    /// Reads the words of a command; an error names the module's command that an action of the screen hides.
    private func read(
        _ words: [Word], for action: Action, _ resolved: ResolvedCommand
    ) throws -> ArgumentValues {
        let skipped = resolved.skippedWords
        let name = skipped > 1 ? words.prefix(skipped).map { Link.shown($0.text) } : [action.name]
        do {
            return try ArgumentReader.read(
                words.dropFirst(skipped), for: action, called: name.joined(separator: " "),
                // The words of an assertion are values; the front end has taken the options for its result.
                takesOptions: !resolved.isHost || action.name != Assertion.word)
        } catch let error as ArgumentError where error.code == .unknownArgument {
            guard !resolved.isHost, skipped == 1, let hidden = host.moduleCommand(action.name) else {
                throw error
            }
            throw error.reworded(\.self) { _ in
                "This is the action of '\(scene.currentLink.shortened)'; the command is '\(hidden)'."
            }
        }
    }

    private func secret(
        _ argument: ArgumentDescription, _ ask: (String) async throws -> String
    ) async throws -> String {
        let secret = try await ask(argument.name)
        guard argument.isAskedTwice else { return secret }
        guard try await ask("\(argument.name), again") == secret else {
            throw ArgumentError(
                .invalidArgument, "You typed two different values for '\(argument.name)'; nothing was done.",
                hint: "Type the command again.")
        }
        return secret
    }

    // MARK: - Resuming

    /// Resumes the actions whose presented screens the command left, and the navigation that a guard
    /// redirected, if it is allowed now; adds their results to the command's, even if a later one fails.
    func resume(
        after resolved: ResolvedCommand, _ job: RunningJobs.Job, adding output: inout Reply.Output
    ) async throws {
        let coordinator = scene.coordinator
        while let (id, waiting) = suspended.first(where: { isGone($0.key) }) {
            suspended[id] = nil
            waiting.job.awaited = nil
            defer { if !isSuspended(waiting.job) { scene.display.jobs.end(waiting.job) } }
            var command = waiting.command
            command.former = resolved.former
            do {
                let result = try await self.output(of: waiting.run, command, waiting.job)
                if result.asking == nil { assign(result, to: command.variable) }
                output = output.followed(by: result)
            } catch is CancellationError where !Task.isCancelled {
                // Cancelled by a module change, not by the user.
                output = output.followed(by: Reply.Output(message: "'\(waiting.job.text)' was cancelled."))
            }
        }
        await coordinator.settle()
        // The guards have just been evaluated for a redirect caused by this command itself.
        if let entry = coordinator.currentEntry, let former = resolved.former, former.ids.contains(entry.id),
            resolved.action?.effect != .reads
        {
            noteWhoIsSignedIn()
            if let arrival = try await coordinator.resumeIntent() {
                let shown = try await show(
                    coordinator, message: RedirectViews.resumed(arrival, coordinator),
                    again: former.isShownAgain(coordinator.currentEntry))
                output = output.followed(by: shown)
                output = output.followed(by: try await performDeferred(job))
            }
        }
        if let action = deferred, action.redirect.map(isGone) == true { drop(action) }
    }

    private func isGone(_ id: StackEntry.ID) -> Bool {
        !scene.coordinator.state.entries.contains { $0.id == id }
    }

    // MARK: - Deferred actions

    /// Performs the action that a guard deferred, at most once, if its screen is now the current one.
    private func performDeferred(_ job: RunningJobs.Job) async throws -> Reply.Output {
        let coordinator = scene.coordinator
        guard let deferred, let entry = deferred.entry, entry == coordinator.currentEntry?.id else {
            return Reply.Output()
        }
        self.deferred = nil
        let actions = (try? coordinator.currentScreen())?.view.listedActions ?? []
        guard let action = Self.action(deferred.word, of: actions, name: \.name) else {
            note(deferred, deferred.notPerformed)
            return Reply.Output()
        }
        guard action.mayBeDeferred else {
            let message = "'\(action.name)' was not done; type it again."
            note(deferred, ShellError(.notPerformed, message, hint: deferred.text, category: .refused))
            return Reply.Output(message: message)
        }
        do {
            let resolved = ResolvedCommand(
                action: action, coordinator: coordinator, skippedWords: 1, text: action.name,
                tool: deferred.request.tool, variable: deferred.variable)
            let done = Reply.Output(message: "Now running '\(action.name)', as typed before.")
            let output = try await perform(resolved, deferred.request, job)
            if output.asking == nil { assign(output, to: deferred.variable) }
            return done.followed(by: output)
        } catch let error as CancellationError {
            throw error
        } catch {
            let reason = ShellError.explain(error)
            let message = "'\(action.name)' was not done: \(reason.message)"
            note(
                deferred,
                ShellError(
                    .notPerformed, message, hint: reason.hint, cause: error, category: reason.category))
            return Reply.Output(message: message)
        }
    }

    // MARK: - Showing

    private func present(_ result: ActionResult, on resolved: ResolvedCommand) async throws -> Reply.Output {
        let coordinator = resolved.coordinator
        let message = result.message
        switch result.presentation {
        case .content(let content):
            return Reply.Output(message: message, content: content.blocks.isEmpty ? nil : content.bounded)
        case .currentView:
            let isBack = resolved.former?.isShownAgain(coordinator.currentEntry) == true
            return try await show(coordinator, message: message, again: isBack && !isAwaited)
        case .destination(let destination):
            return try await show(destination, near: coordinator, message: message)
        case .leaveReturning(let outcome, _) where resolved.isPresented, .dismiss(let outcome):
            return try await dismiss(outcome, on: resolved, message: message)
        case .leave(let destination), .leaveReturning(_, let destination):
            return try await leave(resolved, showing: destination, message: message)
        }
    }

    private func dismiss(
        _ outcome: PresentedResult, on resolved: ResolvedCommand, message: String?
    ) async throws -> Reply.Output {
        try await resolved.coordinator.dismiss(outcome)
        if isAwaited { return Reply.Output(message: message) }
        return try await show(scene.coordinator, message: message, again: true)
    }

    private func leave(
        _ resolved: ResolvedCommand, showing destination: (any Destination)?, message: String?
    ) async throws -> Reply.Output {
        let coordinator = resolved.coordinator
        let current = coordinator.currentEntry
        let isStillThere = resolved.isHost || resolved.entry == nil || resolved.entry == current?.id
        // Resuming leaves a screen that a guard redirected to.
        let resumes = current?.intents.isEmpty == false
        if isStillThere, !resumes {
            try await coordinator.navigate(NavigationRequest(.leave).forced(!resolved.isHost))
        }
        if coordinator.currentEntry == nil {
            if let destination { return try await show(destination, near: coordinator, message: message) }
            if resolved.preview != nil { return Reply.Output(message: message) }
        }
        return try await show(coordinator, message: message, again: !isAwaited)
    }

    /// True if an action waits for the screen just dismissed: it is resumed next, and then shows its screen.
    private var isAwaited: Bool { suspended.keys.contains(where: isGone) }

    private func show(
        _ destination: any Destination, near coordinator: Coordinator, message: String?
    ) async throws -> Reply.Output {
        let detached = coordinator.detached()
        try await detached.push(destination)
        return try await show(detached, message: message)
    }

    /// Shows the current screen of a stack, the target of a guard's redirect, or why neither can be shown.
    package func show(
        _ coordinator: Coordinator, message: String? = nil, again: Bool = false
    ) async throws -> Reply.Output {
        var output = Reply.Output(message: message)
        do {
            if let arrival = try await coordinator.evaluateCurrentGuards() {
                output.message = [message, RedirectViews.message(arrival)].compactMap { $0 }
                    .joined(separator: "\n")
            }
            if let screen = try await coordinator.loadedScreen(again: again) {
                output.content = screen.view.body.bounded
            } else {
                output.content = Home(scene: scene).body
            }
            if let content = output.content, let link = coordinator.currentEntry?.link {
                scene.note(content, shownBy: link)
            }
        } catch let error as NavigationError where error.isAboutCurrentEntry {
            guard let entry = coordinator.currentEntry else { throw error }
            output.content = PlaceholderView(entry, error).body
        }
        let link = coordinator.currentEntry?.link ?? "home"
        // Only a query has secrets to hide.
        output.link = link.utf8.contains(UInt8(ascii: "?")) ? Link.shown(link) : link
        return output
    }
}

/// The user declined a confirmation.
private struct Declined: Error {}

extension Action {
    /// True if it may be performed later; actions that destroy, ask or take a secret must be typed again.
    fileprivate var mayBeDeferred: Bool {
        (effect == .reads || effect == .changes) && question == nil && !arguments.takeSecrets
    }
}

extension Reply.Output {
    func followed(by next: Reply.Output) -> Reply.Output {
        let messages = [message, next.message].compactMap { $0 }
        var output = Reply.Output(
            message: messages.isEmpty ? nil : messages.joined(separator: "\n"),
            content: next.content ?? content, files: next.files ?? files)
        output.link = next.content == nil ? link : next.link
        output.changes = changes + next.changes
        output.asking = next.asking ?? asking
        return output
    }
}

extension Content {
    /// The first progress in the content: `3 of 10 (30 %)`; nil if there is none.
    var progress: Progress? {
        for block in blocks {
            switch block {
            case .progress(let progress): if progress.countText != nil { return progress }
            case .group(_, let inner): if let progress = inner.progress { return progress }
            default: continue
            }
        }
        return nil
    }
}
