@_spi(Host) package import AtriumKit
internal import Synchronization

/// The calls of services in a recording.
package struct CallRecording: Sendable {
    /// The name of the file, for messages.
    package let file: String
    package let calls: [RecordedCall]
    /// The versions of the modules when it was made.
    package let modules: [String: String]

    static let format = "atrium-calls-1"
    /// The largest file that is read, in bytes.
    package static let limit = 256_000_000

    /// Checks by its first bytes that a file is a recording, which another one may replace.
    ///
    /// - Throws: ``RecordingError`` if it is not.
    package static func check(start bytes: [UInt8], file: String) throws(RecordingError) {
        let start = #"{"format":"\#(format)""#
        guard bytes.filter({ $0 > 32 }).starts(with: start.utf8) else {
            throw .damagedCalls(file, "it does not begin with '\(start)'")
        }
    }

    /// Reads a recording.
    ///
    /// - Throws: ``RecordingError`` if it is damaged, or has no call.
    package init(_ bytes: [UInt8], file: String) throws(RecordingError) {
        let json: JSONValue
        do throws(RecordingError.Damage) {
            json = try RecordedJSON.value(of: bytes)
        } catch {
            throw .damagedCalls(file, error.reason)
        }
        guard let format = json["format"]?.stringValue, case .array(let entries)? = json["calls"] else {
            throw .damagedCalls(file, "it has no members 'format' and 'calls'")
        }
        guard format == Self.format else {
            throw .damagedCalls(file, "its format is '\(format.excerpt)', not '\(Self.format)'")
        }
        var calls: [RecordedCall] = []
        for (index, entry) in entries.enumerated() {
            guard let call = RecordedCall(entry) else {
                throw .damagedCalls(file, "call \(index + 1) has no service, method, arguments or result")
            }
            calls.append(call)
        }
        guard !calls.isEmpty else { throw .hasNoCalls(file) }
        (self.file, self.calls) = (file, calls)
        guard case .object(let versions)? = json["modules"] else {
            modules = [:]
            return
        }
        modules = versions.members.reduce(into: [:]) { $0[$1.key] = $1.value.stringValue }
    }
}

extension RecordedCall {
    fileprivate init?(_ json: JSONValue) {
        guard let module = json["module"]?.stringValue, let service = json["service"]?.stringValue,
            let method = json["method"]?.stringValue, case .object(let arguments)? = json["arguments"],
            let outcome = json["result"].map(Outcome.value) ?? json["error"].map(Outcome.failure)
        else { return nil }
        self.init(MockDirector.Key(module: module, service: service), method, arguments, outcome)
    }
}

extension RecordingError {
    static func damagedCalls(_ file: String, _ reason: String) -> RecordingError {
        RecordingError(
            message: "'\(file)' is not a recording of calls: \(reason).",
            hint: "Record one: mock record FILE")
    }

    static func hasNoCalls(_ file: String) -> RecordingError {
        RecordingError(message: "The recording '\(file)' has no calls.", hint: "mock record FILE")
    }
}

/// Answers the calls of services from a recording.
///
/// Equal calls get their answers in the order of the recording, and then the last one again. Calls are equal if
/// service, method and arguments are; secrets don't count.
package final class CallReplay: CallPlayer {
    /// The calls of a service.
    package struct Service: Sendable {
        package let key: MockDirector.Key
        /// The methods with recorded calls, with labels.
        package var methods: Set<String> = []
        package var recorded = 0
        package var answered = 0
        /// The number of calls that the service itself answered, because they can't fail or can't be recorded.
        package var passed = 0
    }

    private struct State {
        var services: [MockDirector.Key: Service] = [:]
        var used: [CallKey: Int] = [:]
    }

    package let recording: CallRecording
    private let rule = SecretRule(nil)
    private let outcomes: [CallKey: [RecordedCall.Outcome]]
    /// In the order of the recording, each once.
    private let keys: [CallKey]
    private let state: Mutex<State>

    package init(_ recording: CallRecording) {
        self.recording = recording
        var (outcomes, keys, state) = ([CallKey: [RecordedCall.Outcome]](), [CallKey](), State())
        for call in recording.calls {
            guard let outcome = call.outcome else { continue }
            let key = CallKey(call, rule)
            if outcomes[key] == nil { keys.append(key) }
            outcomes[key, default: []].append(outcome)
            state.services[call.key, default: Service(key: call.key)].recorded += 1
            state.services[call.key]?.methods.insert(call.method)
        }
        (self.outcomes, self.keys) = (outcomes, keys)
        self.state = Mutex(state)
    }

    package var file: String { recording.file }

    /// The services with recorded calls, sorted by module and name.
    package var services: [Service] {
        state.withLock { $0.services.values }.sorted { $0.key < $1.key }
    }

    package func outcome(of call: RecordedCall) throws(ServiceError) -> RecordedCall.Outcome {
        let key = CallKey(call, rule)
        guard let outcomes = outcomes[key] else { throw notRecorded(key) }
        return state.withLock { state in
            let number = state.used[key, default: 0]
            state.used[key] = number + 1
            state.services[call.key]?.answered += 1
            return outcomes[min(number, outcomes.count - 1)]
        }
    }

    package func pass(_ call: RecordedCall) { state.withLock { $0.services[call.key]?.passed += 1 } }

    private func notRecorded(_ key: CallKey) -> ServiceError {
        let nearest = keys.max { $0.likeness(to: key) < $1.likeness(to: key) }
        return ServiceError(
            "notRecorded", "'\(file)' has no answer to \(key.text).",
            hint: nearest.map { "The nearest recorded call is \($0.text)." })
    }
}

/// The parts of a call by which its answer is found, without secrets.
private struct CallKey: Hashable, Sendable {
    let key: MockDirector.Key
    let method: String
    /// In words, with the arguments sorted by name.
    let text: String
    /// In JSON.
    private let arguments: String

    init(_ call: RecordedCall, _ rule: SecretRule) {
        (key, method) = (call.key, call.method)
        let walk = RecordedSecrets.hiding(rule) { _ = call.arguments.hidden(by: $0) }
        let hidden = call.arguments.hidden(by: walk).sorted
        arguments = JSONValue.object(hidden).serialized
        let shown = hidden.members.map { "\($0.key): \($0.value.serialized)" }.joined(separator: ", ")
        let end = shown.unicodeScalars.dropFirst(300).isEmpty ? "" : "…"
        text = "\(call.target)(\(String(shown.unicodeScalars.prefix(300)))\(end))"
    }

    /// The number of characters at both ends in which the arguments agree; an equal method counts more, an equal
    /// service less.
    func likeness(to other: CallKey) -> Int {
        let (one, two) = (Array(arguments.utf8), Array(other.arguments.utf8))
        let start = zip(one, two).prefix { $0 == $1 }.count
        let end = zip(one.reversed(), two.reversed()).prefix { $0 == $1 }.count
        return start + end + (key == other.key ? 1_000_000 + (method == other.method ? 1_000_000 : 0) : 0)
    }
}

extension JSONObject {
    /// The object with sorted members, also those of its members: a file that was read has them in no order.
    fileprivate var sorted: JSONObject {
        members.sorted { $0.key < $1.key }.reduce(into: [:]) { $0[$1.key] = $1.value.sorted }
    }
}

extension JSONValue {
    fileprivate var sorted: JSONValue {
        switch self {
        case .object(let object): .object(object.sorted)
        case .array(let items): .array(items.map(\.sorted))
        default: self
        }
    }
}
