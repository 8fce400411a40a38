@_spi(Host) package import AtriumKit
internal import Synchronization

/// Records the calls of services in a file, without secrets.
package final class CallFileRecorder: CallRecorder {
    private struct State {
        var calls = 0
        var skipped: [Skipped] = []
    }

    /// A method whose calls were not recorded.
    package struct Skipped: Sendable {
        /// As users type it: `EntityService.page`.
        package let target: String
        /// Completes "because".
        package let reason: String
    }

    private let writer: RecordingWriter<RecordedCall>
    private let rule = SecretRule(nil)
    private let state = Mutex(State())
    /// Less than what is read, as the last second comes on top.
    private static let limit = CallRecording.limit / 2

    /// Begins a recording.
    ///
    /// - Parameters:
    ///   - path: The file, which is replaced.
    ///   - modules: The versions of the modules whose services are recorded.
    ///   - version: The version of the host.
    ///   - limit: The size in bytes after which no calls are recorded.
    /// - Throws: `FileError` if the file can't be written.
    package init(
        _ path: String, modules: [String: String], version: String, limit: Int? = nil
    ) throws {
        let head: JSONObject = [
            "format": .string(CallRecording.format),
            "creator": ["name": "Atrium", "version": .string(version)],
            "modules": .object(
                modules.sorted { $0.key < $1.key }.reduce(into: [:]) { $0[$1.key] = .string($1.value) }),
        ]
        let text = JSONValue.object(head).serialized.dropLast() + #","calls":["#
        writer = try RecordingWriter(
            path, frame: (String(text), "]}"), limit: limit ?? Self.limit, continuing: nil)
    }

    /// The path of the file.
    package var path: String { writer.path }
    /// The number of recorded calls.
    package var calls: Int { state.withLock { $0.calls } }
    /// The methods whose calls were not recorded, in the order of their first calls.
    package var skipped: [Skipped] { state.withLock { $0.skipped } }

    package func begin() -> Int { writer.begin() }

    package func add(_ call: RecordedCall, at index: Int) {
        guard writer.add(call, rule, at: index) else {
            return skip(call.key, call.method, because: "the recording is full")
        }
        state.withLock { $0.calls += 1 }
    }

    package func skip(_ key: MockDirector.Key, _ method: String, because reason: String) {
        let target = RecordedCall(key, method, [:]).target
        state.withLock { state in
            if !state.skipped.contains(where: { $0.target == target }) {
                state.skipped.append(Skipped(target: target, reason: reason))
            }
        }
    }

    /// Writes the file for the last time.
    ///
    /// - Throws: `FileError`; the file then has what it had before.
    package func finish() throws { try writer.write() }
}

extension RecordedCall: RecordedEntry {
    var line: String {
        var object: JSONObject = [
            "module": .string(key.module), "service": .string(key.service), "method": .string(method),
            "arguments": .object(arguments),
        ]
        switch outcome {
        case .value(let value): object["result"] = value
        case .failure(let error): object["error"] = error
        case nil: break
        }
        return JSONValue.object(object).serialized
    }

    func hidden(by walk: SecretWalk) -> RecordedCall {
        let outcome: Outcome? =
            switch outcome {
            // The name of a method says what it returns: `accessToken()`.
            case .value(let value):
                .value(walk.hiding(value, target.split(separator: ".").last.map(String.init) ?? ""))
            case .failure(let error): .failure(walk.hiding(error, ""))
            case nil: nil
            }
        return RecordedCall(key, method, arguments.hidden(by: walk), outcome)
    }
}

extension JSONObject {
    func hidden(by walk: SecretWalk) -> JSONObject {
        guard case .object(let hidden) = walk.hiding(.object(self), "") else { return self }
        return hidden
    }
}
