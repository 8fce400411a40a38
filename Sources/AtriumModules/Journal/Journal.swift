@_spi(Host) package import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// The history of the modules, oldest first: one JSON object per line in a file that survives the process.
///
/// An event that can't be written is kept in memory only.
@MainActor
package final class Journal {
    private let path: String?
    private let clock: any WallClock
    /// The size at which the file is renamed and a new one started, in bytes.
    private static let largestFile = 1 << 20
    private var descriptor: CInt = -1
    private var kept: [JournalEvent] = []
    private static let keptCount = 1_000
    /// The running start or change, which events belong to.
    private var change: (key: String, cause: String)?
    private var changes = 0
    /// Receives newly recorded events.
    package var didAppend: (([JournalEvent]) -> Void)?
    /// The newest events of this process, oldest first.
    package var ofThisProcess: [JournalEvent] { kept }

    package init(path: String? = nil, clock: any WallClock = SystemClock()) {
        (self.path, self.clock) = (path, clock)
    }

    isolated deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The newest events, oldest first, including those of earlier processes.
    package func events(limit: Int = 1_000) -> [JournalEvent] {
        guard let path else { return kept.suffix(limit) }
        var lines: [Substring] = []
        for file in [path + ".1", path] {
            guard let bytes = try? FileContents.read(file) else { continue }
            lines += String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        }
        return lines.suffix(limit).compactMap {
            try? StateCoding.decode(JournalEvent.self, from: String($0))
        }
    }

    /// The time that its next event gets.
    package var now: Timestamp { clock.now() }

    /// Begins a start or a change of the modules; events until its end belong to it.
    func begin(_ cause: ChangeRequest.Cause) {
        changes += 1
        change = ("\(clock.now().microseconds)-\(changes)", cause.rawValue)
    }

    func end() { change = nil }

    /// Records an event.
    package func record(
        _ kind: String, module: String? = nil, _ detail: String? = nil, took: Duration? = nil
    ) {
        append([event(kind, module: module, detail, took: took)])
    }

    /// An event with the present time, to be appended with others.
    func event(
        _ kind: String, module: String?, _ detail: String?, generation: Int? = nil,
        version: SemanticVersion? = nil, digest: String? = nil, took: Duration? = nil
    ) -> JournalEvent {
        JournalEvent(
            time: clock.now().description, process: Int(getpid()), kind: kind, module: module,
            generation: generation, version: version?.description,
            digest: digest.map { String($0.prefix(16)) },
            detail: detail, microseconds: took?.wholeMicroseconds, change: change?.key,
            cause: change?.cause)
    }

    /// An event about a module's present generation.
    fileprivate func event(
        _ kind: String, of generation: Generation?, _ module: String, _ detail: String? = nil,
        took: Duration? = nil
    ) -> JournalEvent {
        let start = generation?.startTimes
        var event = self.event(
            kind, module: module, detail, generation: generation?.number, version: generation?.version,
            digest: generation?.library.digest, took: took ?? start?.total)
        event.costs = start.map(JournalEvent.Costs.init)
        return event
    }

    /// Records events in one write.
    func append(_ events: [JournalEvent]) {
        kept = (kept + events).suffix(Self.keptCount)
        guard !events.isEmpty else { return }
        didAppend?(events)
        guard let path else { return }
        let text = events.map { $0.line + "\n" }.joined()
        if descriptor < 0 { descriptor = FileSystem.openForAppending(path) }
        guard descriptor >= 0 else { return }
        let bytes = Array(text.utf8)
        _ = write(descriptor, bytes, bytes.count)
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_size > Self.largestFile {
            rename(path, path + ".1")
            close(descriptor)
            descriptor = -1
        }
    }
}

/// An event of a module or of the host.
package struct JournalEvent: Codable, Sendable {
    package let time: String
    /// The process id of the host.
    package let process: Int
    /// The kind of event, as one word, such as `started`, `replaced` or `crashed`.
    package let kind: String
    package let module: String?
    package let generation: Int?
    package let version: String?
    /// The first 16 digits of the library's digest.
    package let digest: String?
    package let detail: String?
    /// The time of a change, or of a module's start with the host.
    package let microseconds: Int64?
    /// The start or change to which the event belongs, shared by all its events; nil if to none.
    package var change: String?
    /// The cause of that change, as one word: `start`, `command`, `watch`, `onDemand` or `rollback`.
    package var cause: String?
    /// The time that the generation took to start, by step; nil if none started.
    package var costs: Costs?

    /// In microseconds.
    package struct Costs: Codable, Sendable {
        let read, open, register: Int64
        /// Nil if it was not activated.
        let activate: Int64?

        init(_ times: StartTimes) {
            (read, open) = (times.reading.wholeMicroseconds, times.opening.wholeMicroseconds)
            register = times.registration.wholeMicroseconds
            activate = times.activation?.wholeMicroseconds
        }

        package var json: JSONValue {
            [
                "read": .integer(read), "open": .integer(open), "register": .integer(register),
                "activate": activate.map(JSONValue.integer) ?? .null,
            ]
        }
    }
}

extension JournalEvent {
    /// The event as one line of JSON, built without an encoder, whose first use costs half a millisecond.
    fileprivate var line: String {
        var object: JSONObject = [
            "time": .string(time), "process": .integer(Int64(process)), "kind": .string(kind),
        ]
        object["module"] = module.map(JSONValue.string)
        object["generation"] = generation.map { .integer(Int64($0)) }
        object["version"] = version.map(JSONValue.string)
        object["digest"] = digest.map(JSONValue.string)
        object["detail"] = detail.map(JSONValue.string)
        object["microseconds"] = microseconds.map(JSONValue.integer)
        object["change"] = change.map(JSONValue.string)
        object["cause"] = cause.map(JSONValue.string)
        object["costs"] = costs?.json
        return JSONValue.object(object).serialized
    }
}

// MARK: - Records of a runtime

extension ModuleRuntime {
    /// Records which modules started with the host and which did not, in one write.
    func recordStart(of names: Set<String>) {
        var events = started.filter { names.contains($0.name) }.map {
            journal.event("started", of: $0.current, $0.name)
        }
        for module in modules where module.current == nil {
            // A quarantine was recorded when it began.
            guard let reason = module.state.reason, module.quarantine == nil else { continue }
            events.append(journal.event(module.state.name, module: module.name, reason))
        }
        journal.append(events)
    }

    /// Records the steps of a change.
    func record(_ plan: ChangePlan, took duration: Duration?) {
        let events = plan.steps.map { step in
            journal.event(
                step.kind.past, of: step.to == nil ? nil : module(step.module)?.current, step.module,
                step.reason, took: duration)
        }
        journal.append(events)
    }

    /// Records why a change failed.
    func record(failureOf request: ChangeRequest, _ error: any Error) {
        let message = (error as? any ExplainedError)?.message ?? "\(type(of: error))"
        let kind = error is CancellationError ? "cancelled" : "refused"
        journal.append(request.names.map { journal.event(kind, module: $0, message) })
    }
}
