@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumLineEditor
internal import AtriumRuntime
package import AtriumStorage
package import AtriumText
internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The front end of a scene in another process: a terminal, or a script.
@MainActor
package final class AttachedShell: AttachedFrontEnd {
    let folder: DataFolder
    let options: Options
    private let source: ScriptSource
    let historyFile: String
    var client: HostClient
    /// The name of the scene, once the host has assigned it.
    private var scene: String?
    var prompt = ""
    var link = ""
    var editor: LineEditor?
    private(set) lazy var targets = ClientTargets { [unowned self] in try await open($0) }
    let keyboard = KeyboardEcho()
    /// The error after which standard output can't be written any more.
    private var outputFailure: ShellError?
    /// True if the host has included it among its errors.
    private var failureIsTold = false
    let foreground = ForegroundCommand()
    /// The host's greeting for a new scene.
    var greeting = ""
    /// How the previous host process ended, if unexpectedly.
    private(set) var crash: ShellError?
    /// The host's reason for ending the connection, once given.
    var endReason: String?
    /// The session's exit status, from `exit N`.
    var exitStatus = ExitStatus.done
    /// The wait for a crashed host; true if it returned.
    var reconnection: Task<Bool, Never>?
    /// Records what is typed and printed.
    var recorder: TranscriptRecorder?

    package init(
        to client: HostClient, in folder: DataFolder, options: Options, source: ScriptSource
    ) {
        self.client = client
        self.folder = folder
        self.options = options
        self.source = source
        historyFile = folder.path("history")
        prepare(client)
    }

    func prepare(_ client: HostClient) {
        client.receive = { [weak self] in self?.receive($0, $1) }
        client.answer = { [weak self] in try await self?.answer($0, $1) ?? [:] }
        client.didEnd = { [weak self] in self?.hostDidEnd() }
    }

    /// The host's response to a new front end.
    package enum Beginning {
        case begun
        /// It ends with its script, so a user can't usefully attach to it.
        case isScript
        /// It has ended in the meantime.
        case hasEnded
    }

    /// Asks the host for a scene.
    ///
    /// - Throws: ``ShellError`` with the host's reason if it refuses.
    package func begin() async throws -> Beginning {
        let (client, isLate) = (client, Flag())
        let limit = Task {
            try await Task.sleep(for: .seconds(10))
            isLate.isSet = true
            client.close()
        }
        defer { limit.cancel() }
        do {
            try await hello()
            return .begun
        } catch let error as ShellError where error.code == "hostIsScript" {
            return .isScript
        } catch let error as ShellError where error.code == .hostGone {
            guard isLate.isSet else { return .hasEnded }
            throw ShellError(
                "hostBusy", "The host that runs (process \(client.process)) does not answer.",
                hint: "Wait for what it does, or end it: kill -KILL \(client.process)")
        }
    }

    @MainActor
    private final class Flag { var isSet = false }

    /// Runs the lines of the source in the scene.
    package func run() async throws -> ExitStatus {
        switch source {
        case .text(let bytes):
            let lines = InputLine.lines(of: bytes)
            return await runInterruptibly { status in _ = try await self.run(lines, &status) }
        case .standardInput:
            let input = InputReader()
            return await runInterruptibly { status in
                for await piece in input.pieces {
                    guard try await self.run(piece, &status) else { break }
                    input.didRun()
                }
            }
        case .person: return try await runInteractively()
        }
    }

    // MARK: - Beginning

    /// The description of this front end for the host.
    private var parameters: JSONObject {
        if recorder != nil { return PlayedScene.parameters(of: TranscriptRecorder.scene) }
        let output = HostOutput.standardOutput
        let allowsColor = options.allowsColor && !options.isJSON
        var parameters: JSONObject = [
            "protocol": .integer(Int64(HostIdentity.protocolVersion)),
            "client": .string("atrium \(HostVersion.current)"),
            "person": .bool(source.isPerson), "json": .bool(options.isJSON),
            "keepGoing": .bool(options.keepsGoing), "yes": .bool(options.answersYes),
            "terminal": .bool(Terminal.isTerminal(output)),
            "pictures": .bool(Terminal.isTerminal(output) && Terminal.understandsSequences),
            "color": .bool(allowsColor && Terminal.isColored(output)),
            "errorColor": .bool(allowsColor && Terminal.isColored(HostOutput.standardError)),
            "options": .object(options.wantedOfHost), "pager": .bool(options.hasPager),
            "input": .bool(source.leavesInput), "acknowledges": true,
        ]
        if let size = options.size ?? Terminal.size(of: output) {
            parameters["columns"] = .integer(Int64(size.columns))
            parameters["rows"] = .integer(Int64(size.rows))
            parameters["sizeIsFixed"] = .bool(options.size != nil)
        }
        if let width = Terminal.errorWidth?() { parameters["errorColumns"] = .integer(Int64(width)) }
        parameters["folder"] = .string(WorkingFolder.path)
        if let name = scene ?? options.scene {
            parameters["scene"] = .string(name)
            parameters["resumes"] = .bool(options.scene == nil)
        }
        return parameters
    }

    func hello() async throws {
        do {
            let welcome = try await client.request("hello", parameters)
            scene = welcome.text("scene")
            if let environment = welcome["host"].text("environment") { recorder?.begin(in: environment) }
            prompt = welcome.text("prompt") ?? "> "
            link = welcome.text("link") ?? ""
            let notice = welcome["host"]["crash"]
            crash = notice.text("message").map {
                ShellError("crashed", $0, hint: notice.text("hint"), category: .module)
            }
            greeting =
                (recorder == nil
                    ? "Attached to process \(client.process) as scene '\(scene ?? "")'. "
                    : "What you type here is recorded. ") + (welcome.text("greeting") ?? "")
        } catch let error as RPCError {
            throw ShellError(error)
        }
    }

    // MARK: - Messages from the host

    private func receive(_ method: String, _ parameters: RPCParameters) {
        switch method {
        case "output":
            let text = parameters.text("text") ?? ""
            guard let number = parameters.number("target") else {
                recorder?.print(text)
                return write(text, to: parameters.text("stream") ?? "output")
            }
            targets.write(text, to: number)
        case "above":
            let text = parameters.text("text") ?? ""
            recorder?.print(text)
            guard let editor else { return write(text, to: "error") }
            if let prompt = parameters.text("prompt"), !prompt.isEmpty {
                self.prompt = prompt
                editor.change(prompt: prompt)
            }
            editor.printAbove(text)
        case "history":
            if let line = parameters.text("line") { editor?.addHistory(line) }
        case "echo": parameters.flag("on") ? keyboard.turnOn() : keyboard.turnOff()
        default: break
        }
    }

    func write(_ text: String, to stream: String) {
        do throws(ShellError) {
            switch stream {
            case "error":
                try OutputStream.standardError.write(text)
                try OutputStream.standardError.flush()
            case "screen": Terminal.write(text)
            default:
                try OutputStream.standardOutput.write(text)
                try OutputStream.standardOutput.flush()
            }
        } catch {
            guard outputFailure == nil, stream == "output" else { return }
            outputFailure = error
            client.notify("cancel", ["all": true, "unwritten": .object(RPCError(error).json)])
        }
    }

    private func answer(_ method: String, _ parameters: RPCParameters) async throws -> JSONObject {
        switch method {
        case "secret":
            guard let editor else { throw CancellationError() }
            let secret = try await editor.readSecret(prompt: "\(parameters.text("name") ?? "secret"): ")
            recorder?.answer(secret)
            return ["value": .string(secret)]
        // All earlier output has been written; otherwise the host knows.
        case "written": return [:]
        case "input":
            guard case .text = source else { throw CancellationError() }
            let bytes = try await StandardInput.read()
            return ["data": .string(Data(bytes ?? []).base64EncodedString()), "end": .bool(bytes == nil)]
        default:
            defer { if method == "finish" { foreground.isPaused = false } }
            return try await targets.answer(method, parameters)
        }
    }

    private func open(_ destination: OutputRedirection) async throws -> any ResultTarget {
        guard let recorder else {
            foreground.isPaused = destination == .pager
            return try await LocalTarget.open(destination)
        }
        return try await CapturedProgram.open(destination) { [weak self] text in
            recorder.print(text)
            self?.write(text, to: "output")
        }
    }

    // MARK: - Scripts

    private typealias Script = @MainActor (inout ExitStatus) async throws -> Void

    private func runInterruptibly(_ script: Script) async -> ExitStatus {
        let presses = Mutex(0)
        let interrupts = InterruptSource { [client] in
            let count = presses.withLock { count in
                count += 1
                return count
            }
            if count > 1 {
                // Otherwise the recording's host keeps running.
                BatchProcess.killAll()
                EndSignal.end(by: SIGINT)
            }
            EndSignal.note(SIGINT)
            Task { @MainActor in client.cancel() }
        }
        defer { interrupts.stop() }
        var status = ExitStatus.done
        do {
            try await script(&status)
            if let outputFailure { throw outputFailure }
            let left = ExitStatus(try await client.request("close"))
            return presses.withLock { $0 > 0 } ? .cancelled : status == .done ? left : status
        } catch {
            if let outputFailure {
                return failureIsTold ? .failed : Report.failure(outputFailure, isJSON: false)
            }
            return Report.failure(
                (error as? RPCError).map { ShellError($0) } ?? error, isJSON: options.isJSON)
        }
    }

    /// Runs lines, and returns whether the script continues.
    private func run(_ lines: [InputLine], _ status: inout ExitStatus) async throws -> Bool {
        for line in lines {
            let present: ExitStatus
            var (ends, exits) = (false, false)
            switch line {
            case .success(let text):
                recorder?.type(text)
                let result = try await client.request("run", ["line": .string(text)])
                present = ExitStatus(result)
                (ends, exits) = (result.flag("ends"), result.flag("exits"))
                failureIsTold = failureIsTold || result.flag("unwritten")
                recorder?.didRun(ends: ends)
            case .failure(let error):
                present = Report.failure(error, isJSON: options.isJSON)
            }
            if outputFailure != nil { return false }
            if status == .done || present == .cancelled || exits { status = present }
            if ends { return false }
            // Errors are part of the recording.
            guard recorder == nil else { continue }
            if present != .done && (!options.keepsGoing || present == .cancelled) { return false }
        }
        return true
    }
}

extension ExitStatus {
    init(_ result: RPCParameters) {
        let status = result.number("status").flatMap { Int32(exactly: $0) }.flatMap {
            ExitStatus(rawValue: $0)
        }
        self = status ?? .failed
    }
}
