@_spi(Host) package import AtriumKit
internal import AtriumStorage
internal import Glibc

/// One child process that tries modules: starts it, follows its steps, and attributes its end to a module.
@MainActor
final class PreflightRun {
    private let request: PreflightRequest
    private let executable: String
    private let limits: Preflight.Limits
    private var result = PreflightResult()
    /// The step that began last, and its module.
    private var step = PreflightEvent.Step.load
    private var module: String?
    private var watchdog: Task<Void, Never>?
    /// When the step has to be complete.
    private var deadline = ContinuousClock.now
    private var isOverdue = false
    /// The last lines that the child, or a module in it, wrote to standard error.
    private var lastErrors: [String] = []

    init(_ request: PreflightRequest, executable: String, limits: Preflight.Limits) {
        self.request = request
        self.executable = executable
        self.limits = limits
    }

    /// - Throws: ``ModuleError`` if the child can't be run, and `CancellationError`.
    func run() async throws -> PreflightResult {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        try AtomicFile.write(
            Array(try StateCoding.encode(request).utf8), to: folder.path(PreflightChild.requestFile),
            synchronizing: false)
        var program = Program(executable, ["--preflight", folder.path])
        program.output = .pipe
        program.errors = .pipe
        let child = try ChildProcess(program)
        let listener = Task { await self.listen(to: child) }
        await follow(child)
        let reason = await child.wait()
        watchdog?.cancel()
        await listener.value
        try Task.checkCancellation()
        if !result.isComplete {
            attribute(reason, CrashRecord.take(from: folder.path(PreflightChild.crashFile)))
        }
        return result
    }

    // MARK: - Following the child

    private func follow(_ child: ChildProcess) async {
        guard let output = child.output else { return }
        watch(child)
        for await line in output.lines {
            guard let event = try? StateCoding.decode(PreflightEvent.self, from: line) else { continue }
            watch(child)
            take(event)
            if result.isComplete { break }
        }
    }

    private func listen(to child: ChildProcess) async {
        guard let errors = child.errors else { return }
        for await line in errors.lines { lastErrors = lastErrors.suffix(19) + [line] }
    }

    /// Ends the child unless it reports another step in time.
    ///
    /// One sleep serves all steps: the system keeps the timer of a cancelled sleep until its time has come.
    private func watch(_ child: ChildProcess) {
        deadline = .now + limits.step
        if watchdog == nil { watchdog = Task { await self.endWhenOverdue(child) } }
    }

    private func endWhenOverdue(_ child: ChildProcess) async {
        while deadline > .now {
            guard (try? await Task.sleep(until: deadline)) != nil else { return }
        }
        isOverdue = true
        child.end(grace: .zero)
    }

    private func take(_ event: PreflightEvent) {
        switch event.kind {
        case .begin:
            step = event.step ?? step
            module = event.module
        case .refused:
            guard let name = event.module, let refusal = event.refusal else { return }
            let error = ModuleError(ErrorCode(rawValue: refusal.code), refusal.message, hint: refusal.hint)
            result.refusals[name] = ModuleError.all([result.refusals[name], error].compactMap { $0 })
        case .done: result.isComplete = true
        }
    }

    // MARK: - Attribution

    /// Attributes the end of the child to the module whose step it was, or in whose code it happened.
    private func attribute(_ reason: ExitReason, _ record: CrashRecord?) {
        let new = request.modules.filter(\.isNew).map(\.name)
        let names = [record?.module?.name, module].compactMap { $0 }
        guard let culprit = names.first(where: new.contains) ?? (new.count == 1 ? new[0] : nil) else {
            for name in new where result.refusals[name] == nil {
                result.refusals[name] = error(name, reason, record?.symbolicated())
            }
            return
        }
        result.refusals[culprit] = error(culprit, reason, record?.symbolicated())
    }

    private func error(_ module: String, _ reason: ExitReason, _ record: CrashRecord?) -> ModuleError {
        if isOverdue {
            let seconds = limits.step.components.seconds
            let limit = seconds > 0 ? "\(seconds) s" : "\(limits.step)"
            return .refusedInTrial(
                module, .hangs, "it did not finish within \(limit) while \(step.phrase)")
        }
        if record?.kind == .exit || record == nil && reason == .exited(status: 0) {
            return .refusedInTrial(module, .exits, "it ended the process while \(step.phrase)")
        }
        let event = record?.signal.map { " by \(SignalName.of($0))" } ?? ": the process \(reason)"
        let function = record?.symbolicated().function.map { " in \($0)" } ?? ""
        let message =
            lastErrors.last { $0.contains("Fatal error") }.map { " It said: \(Self.fatal($0))" } ?? ""
        let memory = record?.isOutOfMemory == true ? ", out of memory" : ""
        return .refusedInTrial(
            module, .crashes, "it crashed\(memory) while \(step.phrase)\(event)\(function)", message)
    }

    /// The message of a fatal error, without the file that it is in.
    private static func fatal(_ line: String) -> String {
        line.firstRange(of: "Fatal error").map { String(line[$0.lowerBound...]) } ?? line
    }
}

extension ModuleError {
    /// Whether the module did harm, so that it is not tried again.
    var isHarm: Bool { [.crashes, .hangs, .exits].contains(code) }

    static func refusedInTrial(
        _ module: String, _ code: ErrorCode, _ what: String, _ said: String = ""
    ) -> ModuleError {
        ModuleError(
            code, "Module '\(module)' was refused: tried in a process of its own, \(what).\(said)",
            hint: "Fix and rebuild it; this build is not tried again.")
    }
}

extension ErrorCode {
    /// A module crashed while it was tried.
    package static let crashes: ErrorCode = "crashes"
    /// A module exceeded the time limit while it was tried.
    package static let hangs: ErrorCode = "hangs"
    /// A module ended the process while it was tried.
    package static let exits: ErrorCode = "exits"
}
