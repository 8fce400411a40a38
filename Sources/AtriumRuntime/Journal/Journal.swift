@_spi(Host) package import AtriumKit
internal import AtriumStorage
internal import Glibc

/// What happened to the modules, oldest first: one JSON object a line in a file that survives the process.
///
/// Never stops the work: what can't be written is kept in memory only.
@MainActor
package final class Journal {
    private let path: String?
    private let clock: any WallClock
    /// Where the file is put aside; only the newest part is read again.
    private static let largestFile = 1 << 20
    private var descriptor: CInt = -1
    private var kept: [JournalEvent] = []
    private static let keptCount = 1_000

    /// - Parameters:
    ///   - path: The file; nil keeps the journal in memory only.
    ///   - clock: Tells when things happen.
    package init(path: String? = nil, clock: any WallClock = SystemClock()) {
        self.path = path
        self.clock = clock
    }

    isolated deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The newest events, oldest first, those of earlier processes among them.
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

    /// Notes an event.
    package func note(
        _ kind: String, module: String? = nil, generation: Int? = nil, version: String? = nil,
        digest: String? = nil, _ detail: String? = nil, took: Duration? = nil
    ) {
        append([
            JournalEvent(
                time: clock.now().description, process: Int(getpid()), kind: kind, module: module,
                generation: generation, version: version, digest: digest.map { String($0.prefix(16)) },
                detail: detail, microseconds: took.map(Self.microseconds))
        ])
    }

    /// Notes events in one write.
    func append(_ events: [JournalEvent]) {
        kept = (kept + events).suffix(Self.keptCount)
        guard let path else { return }
        let text = events.map { $0.line + "\n" }.joined()
        if descriptor < 0 { descriptor = Self.open(path) }
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

    private static func open(_ path: String) -> CInt {
        // To open a pipe would wait for its reader.
        Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0o600)
    }

    static func microseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }

    /// An event of now, to be appended with others.
    func event(
        _ kind: String, _ generation: Generation, _ detail: String? = nil, took: Duration? = nil
    ) -> JournalEvent {
        JournalEvent(
            time: clock.now().description, process: Int(getpid()), kind: kind, module: generation.name,
            generation: generation.number, version: "\(generation.version)",
            digest: String(generation.candidate.digest.prefix(16)), detail: detail,
            microseconds: took.map(Self.microseconds))
    }

    func event(_ kind: String, module: String, _ detail: String?, took: Duration? = nil) -> JournalEvent {
        JournalEvent(
            time: clock.now().description, process: Int(getpid()), kind: kind, module: module,
            generation: nil, version: nil, digest: nil, detail: detail,
            microseconds: took.map(Self.microseconds))
    }
}

/// Something that happened to a module, or to the host.
package struct JournalEvent: Codable, Sendable {
    package let time: String
    /// The process id of the host.
    package let process: Int
    /// What happened, in a word, such as `started`, `replaced` or `crashed`.
    package let kind: String
    package let module: String?
    package let generation: Int?
    package let version: String?
    /// The first 16 digits of the library's digest.
    package let digest: String?
    package let detail: String?
    package let microseconds: Int64?
}

extension JournalEvent {
    /// The event as one line of JSON, made without an encoder: the first use of one costs half a millisecond.
    fileprivate var line: String {
        var object: JSONObject = [
            "time": .string(time), "process": .integer(Int64(process)), "kind": .string(kind),
        ]
        if let module { object["module"] = .string(module) }
        if let generation { object["generation"] = .integer(Int64(generation)) }
        if let version { object["version"] = .string(version) }
        if let digest { object["digest"] = .string(digest) }
        if let detail { object["detail"] = .string(detail) }
        if let microseconds { object["microseconds"] = .integer(microseconds) }
        return JSONValue.object(object).serialized
    }
}
