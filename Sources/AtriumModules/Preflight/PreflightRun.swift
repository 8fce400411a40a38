internal import AtriumCrash
@_spi(Host) package import AtriumKit
internal import AtriumLibraries

/// One child process that tries modules: starts it, follows its steps, and attributes its end to a module.
@MainActor
final class PreflightRun {
    private let modules: [PreflightModule]
    private let executable: String
    private let limit: Duration
    /// Puts a sample of a module's data into the scratch folder.
    private let copySample: Preflight.SampleCopier?
    private(set) var refusals: [String: ModuleError] = [:]
    private(set) var isComplete = false
    /// True if one of several new modules did harm, and the culprit is unknown.
    private(set) var isUnattributed = false
    /// The last step and its module.
    private var step = PreflightEvent.Step.load
    private var module: String?
    private var deadline = ContinuousClock.now
    private var isOverdue = false
    /// The changes to the process by the last step.
    private var changes: [String] = []
    /// The last lines that the child, or a module in it, wrote to standard error.
    private var lastErrors: [String] = []

    /// - Parameters:
    ///   - modules: The modules in the order in which they are loaded.
    ///   - executable: The host executable.
    ///   - limit: The time limit for one step of one module.
    ///   - copySample: Puts a sample of a module's data into the scratch folder; nil if there is no data.
    init(
        _ modules: [PreflightModule], executable: String, limit: Duration,
        copySample: Preflight.SampleCopier? = nil
    ) {
        self.modules = modules
        self.copySample = copySample
        self.executable = executable
        self.limit = limit
    }

    /// - Throws: ``ModuleError`` if the child can't be run, and `CancellationError`.
    func run() async throws {
        let folder = try ScratchFolder()
        try AtomicFile.write(
            Array(try StateCoding.encode(modules).utf8), to: folder.path(PreflightChild.requestFile),
            synchronizing: false)
        if let copySample {
            let (names, path) = (modules.filter(\.isNew).map(\.name), folder.path)
            // The change itself reports copy failures, when it opens the file.
            try await SystemThread.run {
                for name in names {
                    do {
                        try copySample(name, path)
                    } catch let error as DatabaseError where error.code == .diskFull {
                        throw ModuleError.noRoomForTrial(path)
                    } catch {
                        // The change itself reports it, when it opens the file.
                    }
                }
            }
        }
        let child = try ChildProcess(executable, ["--preflight", folder.path], .separate)
        deadline = .now + limit
        let watchdog = Task { await self.endWhenOverdue(child) }
        let listener = Task { await self.listen(to: child) }
        await follow(child)
        let reason = await child.wait()
        watchdog.cancel()
        await listener.value
        try Task.checkCancellation()
        if !isComplete {
            attribute(reason, try? CrashRecord.read(folder.path(PreflightChild.crashFile)))
        }
    }

    // MARK: - Following the child

    private func follow(_ child: ChildProcess) async {
        guard let output = child.output else { return }
        for await line in output {
            guard let event = try? StateCoding.decode(PreflightEvent.self, from: line) else { continue }
            deadline = .now + limit
            switch event {
            case .begin(let step, let module): (self.step, self.module) = (step, module)
            case .refused(let name, let error):
                refusals[name] = ModuleError.all([refusals[name], error].compactMap { $0 })
            case .changedProcess(let changes):
                self.changes = changes
                return
            case .done:
                isComplete = true
                return
            }
        }
    }

    private func listen(to child: ChildProcess) async {
        guard let errors = child.errors else { return }
        for await line in errors { lastErrors = lastErrors.suffix(19) + [line] }
    }

    /// Kills the child unless it reports another step in time.
    ///
    /// One sleep serves all steps: the system keeps the timer of a cancelled sleep until it expires.
    private func endWhenOverdue(_ child: ChildProcess) async {
        while deadline > .now {
            guard (try? await Task.sleep(until: deadline)) != nil else { return }
        }
        isOverdue = true
        child.end(grace: 0)
    }

    // MARK: - Attribution

    /// Attributes the end of the child to the module whose step or code it happened in.
    private func attribute(_ reason: ExitReason, _ record: CrashRecord?) {
        let record = record?.symbolicated()
        let new = modules.filter(\.isNew).map(\.name)
        let culprit = [record?.module?.name, module].lazy.compactMap(\.self).first(where: new.contains)
        guard let name = culprit ?? (new.count == 1 ? new[0] : nil) else {
            isUnattributed = true
            return
        }
        refusals[name] = error(name, reason, record)
    }

    private func error(_ module: String, _ reason: ExitReason, _ record: CrashRecord?) -> ModuleError {
        if !changes.isEmpty {
            return .refusedInTrial(
                module, .changesProcess,
                "it changed the process while \(step.phrase): \(changes.joined(separator: ", "))")
        }
        if isOverdue {
            return .refusedInTrial(
                module, .hangs, "it did not finish within \(limit.inSeconds) while \(step.phrase)")
        }
        if reason == .exited(status: PreflightChild.lostEvents), record == nil {
            return .refusedInTrial(
                module, .changesProcess, "it closed descriptors of the host while \(step.phrase)")
        }
        if record?.kind == .exit || record == nil && reason == .exited(status: 0) {
            return .refusedInTrial(module, .exits, "it ended the process while \(step.phrase)")
        }
        let event = record?.signal.map { " by \(SignalName.of($0))" } ?? ": the process \(reason)"
        let function = record?.function.map { " in \($0)" } ?? ""
        // Leave out the file name before the error.
        let fatal = lastErrors.lazy.reversed().compactMap { line in
            line.firstRange(of: "Fatal error").map { " It said: \(line[$0.lowerBound...])" }
        }.first
        let memory = record?.isOutOfMemory == true ? ", out of memory" : ""
        return .refusedInTrial(
            module, .crashes, "it crashed\(memory) while \(step.phrase)\(event)\(function)", fatal ?? "")
    }
}

extension ModuleError {
    /// True if the module did harm and is not tried again.
    ///
    /// A timeout is not harm: the machine may be busy.
    var isHarm: Bool { [.crashes, .exits, .changesProcess].contains(code) }

    /// A preflight error, attributed to configuration values instead of the build.
    func withConfiguration(of module: String) -> ModuleError {
        ModuleError(
            code, message, hint: isHarm || code == .hangs ? "module configure \(module)" : hint, cause: cause)
    }

    static func noRoomForTrial(_ folder: String) -> ModuleError {
        ModuleError(
            "noRoom", "New libraries can't be tried: the disk of '\(folder)' is full.",
            hint: "Free some space there, or set TMPDIR to another folder.")
    }

    static func refusedInTrial(
        _ module: String, _ code: ErrorCode, _ what: String, _ said: String = ""
    ) -> ModuleError {
        ModuleError(
            code, "Module '\(module)' was refused: tried in a process of its own, \(what).\(said)",
            hint: code == .hangs
                ? "Give it more time with --preflight-timeout SECONDS, or try again."
                : "Fix and rebuild it. To have this build tried again, type: module start \(module)")
    }
}

extension Duration {
    /// A duration such as `5 s` or `0.5 s`.
    var inSeconds: String { "\(secondsText) s" }
}

extension ErrorCode {
    package static let crashes: ErrorCode = "crashes"
    package static let hangs: ErrorCode = "hangs"
    package static let exits: ErrorCode = "exits"
    package static let changesProcess: ErrorCode = "changesProcess"
}
