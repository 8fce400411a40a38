@_spi(Host) internal import AtriumKit
internal import AtriumNavigation
internal import AtriumRuntime
internal import Glibc

extension Interpreter {
    /// Does what a command means, lets what waited for that go on, and goes on to where guards kept somebody
    /// from going.
    func carryOut(
        _ target: Target, _ command: Command, _ job: RunningJobs.Job
    ) async throws -> Reply.Output {
        let coordinator = host.coordinator
        let before = FormerStack(coordinator)
        var target = target
        target.former = before
        defer { noteWhoIsSignedIn() }
        var output = try await perform(target, command, job)
        while let (id, waiting) = suspended.first(where: { isGone($0.key) }) {
            suspended[id] = nil
            waiting.job.goesOn()
            defer { if !isSuspended(waiting.job) { waiting.job.end() } }
            var target = waiting.target
            target.former = before
            output = output.followed(by: try await follow(waiting.run, target, waiting.job))
        }
        await coordinator.settle()
        if target.isHost, let link = try await coordinator.openPendingLink() {
            let shown = try await show(coordinator, message: "Opened '\(link)', which was waited for.")
            output = output.followed(by: shown)
        }
        // A detour that this command led to was asked about just now.
        if let place = coordinator.currentEntry, before.ids.contains(place.id),
            target.action?.effect != .reads
        {
            noteWhoIsSignedIn()
            if let arrival = try await coordinator.resumeIntent() {
                let shown = try await show(
                    coordinator, message: DetourViews.wentOn(arrival, coordinator),
                    again: before.isShownAgain(coordinator.currentEntry))
                output = output.followed(by: shown).followed(by: try await doKeptBack(job))
            }
        }
        if let detour = keptBack?.detour, isGone(detour) { keptBack = nil }
        return output
    }

    private func isGone(_ id: StackEntry.ID) -> Bool {
        !host.coordinator.state.entries.contains { $0.id == id }
    }

    func perform(
        _ target: Target, _ command: Command, _ job: RunningJobs.Job
    ) async throws -> Reply.Output {
        guard let action = target.action else {
            if let visit = target.visit { try await target.coordinator.enter(visit) }
            return try await show(target.coordinator)
        }
        // Arguments are read before anything is loaded: what is mistyped is told at once.
        let values = try await arguments(command, action, target.skippedWords)
        if let visit = target.visit {
            try await target.coordinator.enter(visit, loading: action.loadsFirst)
        } else if !target.isHost {
            _ = try await target.coordinator.loadedScreen()
        }
        if target.isHost, action.effect == .reads {
            return try await present(try await action.perform(values), on: target)
        }
        defer { if !target.isHost { target.coordinator.stateMayHaveChanged() } }
        // What was answered is told, whatever becomes of the process.
        if !target.isHost { try OutputStream.standardOutput.flush() }
        let question = try target.question(values, isAnswered: answersYes)
        if let question, !canAsk { throw CommandError.unanswered(question, of: action.name) }
        // Begins before anything is waited for: what began on one generation of a module ends on it, whatever is
        // updated meanwhile.
        let work = target.isHost ? nil : host.runtime.work.begin()
        let place = target.isHost ? nil : target.coordinator.beginAction()
        let host = host
        if !target.isHost { host.display.count = { target.count } }
        let run = ActionRun {
            defer {
                target.coordinator.endAction(on: place)
                if let work { host.runtime.work.end(work) }
            }
            if let question, try await !host.coordinator.confirm(question, doing: action.summary) {
                return .updated("Nothing was done.")
            }
            return try await action.perform(values)
        }
        var started = target
        started.place = target.coordinator.currentEntry?.id
        return try await follow(run, started, job)
    }

    /// Waits until an action has ended, or waits itself for something that it presented.
    private func follow(
        _ run: ActionRun, _ target: Target, _ job: RunningJobs.Job
    ) async throws -> Reply.Output {
        switch await run.next() {
        case .waiting(let entry):
            suspended[entry.id] = Suspended(run: run, target: target, job: job)
            job.waits(for: entry.link)
            host.display.endProgress()
            return try await show(host.coordinator)
        case .finished(let result):
            await host.coordinator.settle()
            return try await present(try result.get(), on: target)
        }
    }

    private func arguments(_ command: Command, _ action: Action, _ skipped: Int) async throws
        -> ArgumentValues
    {
        var values = try ArgumentReader.read(command.words.dropFirst(skipped), for: action) { name in
            getenv(name).map { String(cString: $0) }
        }
        guard let askSecret else { return values }
        for argument in action.arguments where argument.isSecret && argument.isRequired {
            if values[argument.name] == nil { values[argument.name] = try await askSecret(argument) }
        }
        return values
    }

    // MARK: - Showing

    private func present(_ result: ActionResult, on target: Target) async throws -> Reply.Output {
        switch result.presentation {
        case .content(let content):
            return Reply.Output(message: result.message, content: content.blocks.isEmpty ? nil : content)
        case .currentView:
            let hasComeBack = target.former?.isShownAgain(target.coordinator.currentEntry) == true
            return try await show(
                target.coordinator, message: result.message, again: hasComeBack && !isAwaited)
        case .destination(let destination):
            return try await show(destination, near: target.coordinator, message: result.message)
        case .leave(let destination):
            return try await leave(target, showing: destination, message: result.message)
        case .leaveReturning(let outcome, let destination):
            guard target.isPresented else {
                return try await leave(target, showing: destination, message: result.message)
            }
            return try await dismiss(outcome, on: target, message: result.message)
        case .dismiss(let outcome):
            return try await dismiss(outcome, on: target, message: result.message)
        }
    }

    private func dismiss(
        _ outcome: PresentedResult, on target: Target, message: String?
    ) async throws -> Reply.Output {
        try await target.coordinator.dismiss(outcome)
        if isAwaited { return Reply.Output(message: message) }
        return try await show(host.coordinator, message: message, again: true)
    }

    /// Leaves the place of an action that is done with it; somewhere else, where it has been left already.
    private func leave(
        _ target: Target, showing destination: (any Destination)?, message: String?
    ) async throws -> Reply.Output {
        let coordinator = target.coordinator
        let isStillThere =
            target.isHost || target.place == nil || target.place == coordinator.currentEntry?.id
        // Where a guard sent somebody here, leaving is going on.
        let goesOn = coordinator.currentEntry?.intents.isEmpty == false
        if isStillThere, !goesOn {
            try await coordinator.navigate(NavigationRequest(.leave).forced(!target.isHost))
        }
        if coordinator.currentEntry == nil {
            if let destination {
                return try await show(destination, near: coordinator, message: message)
            }
            if target.visit != nil { return Reply.Output(message: message) }
        }
        return try await show(coordinator, message: message, again: !isAwaited)
    }

    /// Whether an action waited for what was dismissed just now: it goes on next, and shows the place then.
    private var isAwaited: Bool { suspended.keys.contains(where: isGone) }

    /// Shows a destination once, on a stack of its own.
    private func show(
        _ destination: any Destination, near coordinator: Coordinator, message: String?
    ) async throws -> Reply.Output {
        let place = coordinator.detached()
        try await place.push(destination)
        return try await show(place, message: message)
    }

    /// Shows the current place of a stack, or why it can't be shown now; where a guard wants to see somebody
    /// elsewhere first, that place.
    func show(
        _ coordinator: Coordinator, message: String? = nil, again: Bool = false
    ) async throws -> Reply.Output {
        var message = message
        do {
            if let arrival = try await coordinator.evaluateCurrentGuards() {
                message = [message, DetourViews.message(arrival)].compactMap { $0 }.joined(separator: "\n")
            }
            guard let screen = try await coordinator.loadedScreen(again: again) else {
                return Reply.Output(message: message, content: Home(host: host).body)
            }
            return Reply.Output(message: message, content: screen.view.body)
        } catch let error as NavigationError where error.isAboutCurrentEntry {
            guard let entry = coordinator.currentEntry else { throw error }
            return Reply.Output(message: message, content: PlaceholderView(entry, error).body)
        }
    }
}

extension Interpreter.Target {
    /// Whether the place of the action is the current one, and was presented.
    @MainActor
    var isPresented: Bool {
        guard !isHost, let place, let current = coordinator.currentEntry else { return false }
        return current.id == place && current.presentation != nil
    }

    /// What is asked before the action is done; nil where nothing is, or it was answered.
    ///
    /// Of the screen as it is now: what it asks may name what it shows.
    @MainActor
    func question(_ values: ArgumentValues, isAnswered: Bool) throws -> String? {
        guard let action, !isAnswered, try !action.isAnswered(by: values) else { return nil }
        let present =
            isHost ? nil : try coordinator.currentScreen()?.view.actions.first { $0.name == action.name }
        return present?.question ?? action.question
    }
}

extension Reply.Output {
    /// Both, one after the other; the later content is shown.
    func followed(by next: Reply.Output) -> Reply.Output {
        let messages = [message, next.message].compactMap { $0 }
        return Reply.Output(
            message: messages.isEmpty ? nil : messages.joined(separator: "\n"),
            content: next.content ?? content)
    }
}
