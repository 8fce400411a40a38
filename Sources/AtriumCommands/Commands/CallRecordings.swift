@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumModules
package import AtriumNetworking
internal import AtriumStorage
internal import AtriumText
internal import AtriumViews

/// What `mock` does with a recording of calls.
enum CallRecordingStep: String, CaseIterable, ArgumentValue {
    case record, play
}

/// The forms of `mock` that record the calls of services, and answer them from a recording.
extension HostCommands {
    func recordCalls(to file: OutputFile?, of service: String?, ends: Bool) throws -> ActionResult {
        if ends {
            guard let recorder = try host.endCallRecording() else {
                throw ArgumentError(.notFound, "No calls are being recorded.", hint: "mock record FILE")
            }
            return .content(RecordingViews.recorded(recorder), RecordingViews.summary(of: recorder))
        }
        guard let file else {
            guard service == nil else {
                throw ArgumentError(
                    .missingArgument, "'mock record' needs a file.", hint: "mock record FILE --service NAME")
            }
            return .content(RecordingViews.running(host.callRecorder))
        }
        try requireNoRecording()
        if let play = host.callReplay {
            throw ShellError(
                "isPlaying", "Calls are answered from '\(play.file)', so the answers are not real.",
                hint: "mock play --stop", category: .refused)
        }
        let chosen = try service.map(recordable)
        let services = host.runtime.container.services.filter {
            $0.obstacle == nil && (chosen == nil || $0.key == chosen)
        }
        guard !services.isEmpty else {
            throw ShellError(
                .notFound, "No active module has a service whose calls can be recorded.", hint: "modules")
        }
        // A file that is replaced has to be a recording too, or empty, such as one of mktemp.
        if FileStatus(of: file.path).map({ $0.size > 0 }) == true {
            try CallRecording.check(
                start: FileContents.readStart(of: file.path, count: 256), file: file.path)
        }
        let recorder = try CallFileRecorder(
            file.path, modules: versions(of: services.map(\.key.module)), version: HostVersion.current)
        host.callRecorder = recorder
        host.calls.use(.recording(recorder), for: chosen.map { [$0] })
        let names = RecordNoun("service").counted(services.count)
        return .content(
            Content(), "Recording the calls of \(names) to '\(file.path)'; 'mock record --stop' ends it.")
    }

    func playCalls(from file: OutputFile?, ends: Bool) async throws -> ActionResult {
        if ends {
            guard let play = host.callReplay else {
                throw ArgumentError(.notFound, "No recording is being played.", hint: "mock play FILE")
            }
            host.callReplay = nil
            host.calls.use(nil)
            return .content(RecordingViews.playing(play), "The services answer their calls again.")
        }
        guard let file else { return .content(RecordingViews.playing(host.callReplay)) }
        // A call without an answer may reach the service, and so the server.
        guard host.environment != .live else {
            throw ShellError(
                "wrongEnvironment", "Recordings of calls are not played in environment live.",
                hint: "atrium --env mock", category: .refused)
        }
        try requireNoRecording()
        let play = try await CallReplay(reading: file.path)
        // Another session may have begun one meanwhile.
        try requireNoRecording()
        let findings = findings(of: play)
        guard findings.count(where: \.isAbsent) < play.services.count else {
            throw ShellError(
                .notFound,
                "No call of '\(file.path)' can be answered. "
                    + findings.map(\.text).joined(separator: " "), hint: "modules")
        }
        host.callReplay = play
        host.calls.use(.playing(play), for: Set(play.services.map(\.key)))
        return .content(
            RecordingViews.playing(play, findings.map(\.text)),
            "Answering calls from '\(file.path)'; 'mock play --stop' ends it.")
    }

    /// - Throws: ``ArgumentError`` for an option that a form of `mock` does not have.
    func checkOptions(
        of step: CallRecordingStep?, _ file: OutputFile?, _ service: String?, ends: Bool, resets: Bool
    ) throws {
        let given = [("file", file != nil), ("service", service != nil), ("stop", ends), ("reset", resets)]
        let allowed: Set =
            switch (step, ends) {
            case (nil, _): ["reset"]
            case (_, true): ["stop"]
            case (.record, false): ["file", "service"]
            case (.play, false): ["file"]
            }
        guard let (wrong, _) = given.first(where: { $1 && !allowed.contains($0) }) else { return }
        let form = step.map { "mock \($0.rawValue)\(ends ? " --stop" : "")" } ?? "mock"
        throw ArgumentError(.invalidArgument, "'\(form)' takes no '\(wrong)'.", hint: "help mock")
    }

    private func requireNoRecording() throws {
        guard let running = host.callRecorder else { return }
        throw ShellError(
            "isRecording", "Calls are being recorded to '\(running.path)'.", hint: "mock record --stop",
            category: .refused)
    }

    /// - Throws: ``ShellError`` if there is no such service, or why its calls can't be recorded.
    private func recordable(_ name: String) throws -> MockDirector.Key {
        let target = try ServiceTarget(name, in: host.runtime.container.services)
        if let obstacle = target.service.obstacle { throw target.refusal("recorded", obstacle) }
        guard target.method == nil else {
            throw ArgumentError(
                .invalidArgument, "'service' of 'mock' must be a service, not a method.",
                hint: "mock record FILE --service \(target.service.key.service)")
        }
        return target.service.key
    }

    private func versions(of modules: [String]) -> [String: String] {
        modules.reduce(into: [:]) { $0[$1] = host.runtime.module($1)?.manifest?.version.description }
    }

    var recordableNames: [String] {
        guard offersNames else { return [] }
        return host.runtime.container.services.filter { $0.obstacle == nil }.map(\.key.service).uniqued
    }

    // MARK: - Recordings of other versions

    private struct Finding {
        let text: String
        /// True if none of the calls of a service can be answered.
        var isAbsent = false
    }

    /// The reasons that calls of a recording are not answered, or may not be as they were.
    private func findings(of play: CallReplay) -> [Finding] {
        let services = host.runtime.container.services
        return play.services.flatMap { recorded -> [Finding] in
            let calls = RecordNoun("call").counted(recorded.recorded)
            let name = recorded.key.service
            guard let service = services.first(where: { $0.key == recorded.key }) else {
                return [Finding(text: "No active module has \(name), with \(calls).", isAbsent: true)]
            }
            if let obstacle = service.obstacle {
                return [Finding(text: "\(name) is not answered, because \(obstacle).", isAbsent: true)]
            }
            let known = Set(service.methods.map(\.name))
            let gone = recorded.methods.subtracting(known).map { RecordedCall(recorded.key, $0, [:]).target }
            return gone.sorted().uniqued.map { Finding(text: "There is no method \($0) any more.") }
        } + newVersions(since: play.recording)
    }

    private func newVersions(since recording: CallRecording) -> [Finding] {
        let present = versions(of: Array(recording.modules.keys))
        return recording.modules.sorted { $0.key < $1.key }.compactMap { module, version in
            guard let now = present[module], now != version else { return nil }
            return Finding(text: "It was recorded with \(module) \(version); this is \(now).")
        }
    }
}

extension CallReplay {
    /// Reads a recording, which may be large, away from the main actor.
    ///
    /// Deeply nested JSON needs the stack of a thread of Swift's pool.
    @concurrent fileprivate convenience init(reading path: String) async throws {
        self.init(try CallRecording(FileContents.read(path, limit: CallRecording.limit), file: path))
    }
}

extension ShellHost {
    /// Ends the recording of calls, if there is one, and returns it.
    ///
    /// - Throws: `FileError`; the recording then continues.
    package func endCallRecording() throws -> CallFileRecorder? {
        guard let recorder = callRecorder else { return nil }
        try recorder.finish()
        calls.use(nil)
        callRecorder = nil
        return recorder
    }
}
