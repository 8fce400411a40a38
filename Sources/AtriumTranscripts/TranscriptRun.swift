internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules
package import AtriumPrompt
internal import AtriumSession
internal import AtriumStorage
package import AtriumText
internal import Dispatch
internal import Glibc
internal import Synchronization

/// `atrium test`: plays transcripts, one at a time, and prints the differences.
@MainActor
package struct TranscriptRun {
    private let options: Options
    private let settings: TranscriptPlayer.Settings
    private let report: TranscriptReport
    /// The transcripts, with the absolute paths of their files.
    private let transcripts: [(path: String, transcript: Transcript)]
    private let xunit: String?
    private let page: String?

    /// Plays the transcripts in files, and the `.transcript` files in folders.
    ///
    /// - Throws: An error with exit code 2 if a file is missing or malformed; none is played then.
    package static func run(_ paths: [String], _ options: Options) async throws -> ExitStatus {
        let run = try TranscriptRun(paths, options)
        return try await RequestRecording.during(options) {
            try await TranscriptSignals.cancelling { try await run.play() }
        }
    }

    private init(_ paths: [String], _ options: Options) throws {
        self.options = options
        settings = try TranscriptPlayer.Settings(options)
        report = TranscriptReport(
            isJSON: options.isJSON,
            style: TextStyle(
                isColored: options.allowsColor && !options.isJSON
                    && Terminal.isColored(HostOutput.standardOutput)))
        var found: [(String, Transcript)] = []
        for path in paths {
            for file in try TranscriptFiles.find(path) {
                let transcript = try Self.read(file)
                _ = try settings.with(transcript, options)
                found.append((TranscriptFiles.absolute(file), transcript))
            }
        }
        try ReportFiles.check(options, transcripts: found.map(\.0), settings.configuration)
        transcripts = try Self.tagged(found, options.tags)
        xunit = options.xunitFile.map(TranscriptFiles.absolute)
        page = options.htmlFile.map(TranscriptFiles.absolute)
    }

    /// The transcripts that have one of the tags; all without tags.
    ///
    /// - Throws: ``ShellError`` with exit code 2 if none has.
    private static func tagged(
        _ all: [(path: String, transcript: Transcript)], _ tags: [String]
    ) throws(ShellError) -> [(path: String, transcript: Transcript)] {
        guard !tags.isEmpty else { return all }
        let found = all.filter { $0.transcript.head.tags.contains(where: tags.contains) }
        guard found.isEmpty else { return found }
        let known = Set(all.flatMap(\.transcript.head.tags)).sorted()
        throw ShellError(
            "noTranscripts", "No transcript has the tag '\(tags.joined(separator: "', '"))'.",
            hint: known.isEmpty
                ? "Tag one in its head: tags: \(tags[0])" : "There are: \(known.joined(separator: ", ")).",
            category: .usage)
    }

    static func read(_ file: String) throws -> Transcript {
        do {
            return try Transcript(reading: file)
        } catch let error as StorageError {
            throw ShellError(
                error.code, error.message, hint: error.hint ?? "Name a file, or a folder of transcripts.",
                category: .usage)
        }
    }

    private func play() async throws -> ExitStatus {
        let start = SystemClock().now()
        var verdicts: [(PlayedTranscript, TranscriptReport.Verdict)] = []
        for (path, transcript) in transcripts {
            var played = try await TranscriptPlayer.play(transcript, try settings.with(transcript, options))
            let verdict = try verdict(of: &played, path)
            verdicts.append((played, verdict))
            try report.print(played, verdict)
        }
        try report.printCounts(verdicts)
        if let xunit {
            try write(JUnitReport(start: start, played: verdicts.map(\.0)).text.utf8, to: xunit)
        }
        if let page { try write(TestPage.html(verdicts, counts: report.counts(verdicts)).utf8, to: page) }
        return verdicts.contains { $0.1 == .failed } ? .failed : .done
    }

    private func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
        let file = try AtomicFile(path, replaces: true)
        try file.write(Array(bytes))
        try file.finish()
    }

    private func verdict(
        of played: inout PlayedTranscript, _ path: String
    ) throws -> TranscriptReport.Verdict {
        guard !played.hasPassed else { return .passed }
        guard options.updates else { return .failed }
        let (transcript, text) = (played.transcript, played.text)
        if text != transcript.text {
            played.problem =
                (try? FileContents.read(path)) == transcript.bytes
                ? transcript.problem(of: text, with: played.outputs)
                : "The file was changed or removed while it was played, so it is left as it is."
            guard played.problem == nil else { return .failed }
            try write(transcript.contents(text), to: path)
        }
        let isWhole =
            played.steps.count == transcript.steps.count && played.steps.allSatisfy { $0.problem == nil }
        return isWhole ? .updated : .failed
    }
}

extension TranscriptPlayer.Settings {
    /// - Throws: `ConfigurationError` if no file names the modules.
    init(_ options: Options) throws {
        self.init(configuration: try ConfigurationFile.find(options.configurationFile).path)
        environment = options.environment
        if let api = options.api { arguments += ["--api", api.text] }
        if let authority = options.authority { arguments += ["--ca", TranscriptFiles.absolute(authority)] }
        arguments += options.selection.words
        if let clock = options.clock { arguments += ["--clock", "\(clock)"] }
        // Each host of a run adds to the recording.
        if let recording = RequestRecording(options) {
            arguments += ["--record-http", "+\(recording.written)"]
        }
        if let file = options.httpReplay { arguments += ["--replay-http", TranscriptFiles.absolute(file)] }
        if !options.triesModules { arguments.append("--no-preflight") }
        limit = options.lineLimit ?? limit
        definitions = options.definitions
        size = options.size
        isUpdating = options.updates
    }

    /// Adds the options in the first line of a transcript, unless the command line sets them.
    ///
    /// - Throws: ``ShellError`` with code `badTranscript`.
    func with(_ transcript: Transcript, _ given: Options) throws(ShellError) -> TranscriptPlayer.Settings {
        guard !transcript.head.options.isEmpty else { return self }
        let allowed = TranscriptHead.allowedOptions
        var (words, own) = (["test", transcript.file], given)
        for (line, new) in transcript.head.options {
            let names = new.filter { $0.hasPrefix("-") }.map { String($0.prefix { $0 != "=" }) }
            if let other = names.first(where: { !allowed.contains($0) }) {
                throw .badTranscript(
                    transcript.file, line, "has the option '\(other)', which transcripts do not allow",
                    hint: "It may have \(allowed.joined(separator: ", ")).")
            }
            words += new
            do throws(ShellError) { own = try Options(words) } catch {
                throw .badTranscript(
                    transcript.file, line, "has options that can't be read: \(error.message)",
                    hint: error.hint ?? "Correct the line.")
            }
        }
        var settings = self
        settings.environment = environment ?? own.environment
        settings.size = size ?? own.size
        settings.limit = given.lineLimit ?? own.lineLimit ?? limit
        if given.clock == nil, let clock = own.clock { settings.arguments += ["--clock", "\(clock)"] }
        if given.selection == .all { settings.arguments += own.selection.words }
        return settings
    }
}

extension ModuleSelection {
    fileprivate var words: [String] {
        switch self {
        case .all: []
        case .none: ["--safe"]
        case .only(let names): ["--only", names.joined(separator: ",")]
        case .without(let names): ["--without", names.joined(separator: ",")]
        }
    }
}

/// Stops playing when a signal asks for it, so that no host is left running.
@MainActor
enum TranscriptSignals {
    /// Runs work, which the first SIGINT, SIGTERM or SIGHUP cancels; the second ends the process.
    ///
    /// With `ignoresInterrupts` SIGINT is left to the work, as a prompt has its own use for it.
    ///
    /// - Returns: The status of the work, or 128 and the number of the signal.
    static func cancelling(
        ignoresInterrupts: Bool = false, _ work: @escaping @MainActor () async throws -> ExitStatus
    ) async throws -> ExitStatus {
        let task = Task { try await work() }
        let first = Mutex<CInt?>(nil)
        let sources = (ignoresInterrupts ? [] : [SIGINT]) + [SIGTERM, SIGHUP]
        let signals = sources.compactMap { signal in
            SignalSource(signal: signal, queue: .global()) {
                let isSecond = first.withLock { first in
                    defer { first = first ?? signal }
                    return first != nil
                }
                if isSecond {
                    BatchProcess.killAll()
                    EndSignal.end(by: signal)
                }
                EndSignal.note(signal)
                task.cancel()
            }
        }
        defer { signals.forEach { $0.stop() } }
        let outcome = await task.result
        // Work that a signal also ended elsewhere may end with a status, or another error.
        guard let signal = first.withLock({ $0 }) else { return try outcome.get() }
        Report.note("Cancelled.")
        return ExitStatus(rawValue: 128 + signal)
    }
}
