/// A call of a service as a recording has it.
@_spi(Host) public struct RecordedCall: Sendable {
    /// The outcome of a call, as JSON.
    @frozen public enum Outcome: Sendable {
        case value(JSONValue)
        case failure(JSONValue)
    }

    public let key: MockDirector.Key
    /// The name with labels: `page(_:)`.
    public let method: String
    /// The arguments by their names.
    public let arguments: JSONObject
    /// Nil until the call has ended.
    public var outcome: Outcome?

    public init(_ key: MockDirector.Key, _ method: String, _ arguments: JSONObject, _ outcome: Outcome? = nil)
    {
        (self.key, self.method, self.arguments, self.outcome) = (key, method, arguments, outcome)
    }

    /// As users type it: `EntityService.page`.
    public var target: String { "\(key.service).\(ServiceMethod.baseName(of: method))" }
}

/// Takes the calls of services, on any thread.
@_spi(Host) public protocol CallRecorder: Sendable {
    /// Returns the number of a call that begins.
    func begin() -> Int
    func add(_ call: RecordedCall, at index: Int)
    /// Notes a method whose calls can't be recorded, for a reason that completes "because".
    func skip(_ key: MockDirector.Key, _ method: String, because reason: String)
}

/// Answers calls of services from a recording, on any thread.
@_spi(Host) public protocol CallPlayer: Sendable {
    /// The name of the recording, for messages.
    var file: String { get }
    /// - Throws: ``ServiceError`` if the recording has no answer.
    func outcome(of call: RecordedCall) throws(ServiceError) -> RecordedCall.Outcome
    /// Notes a call that the service itself answers: it can't fail, or its arguments or result can't be encoded.
    func pass(_ call: RecordedCall)
}

/// The use of a recording for a service.
@frozen @_spi(Host) public enum CallMode: Sendable {
    case recording(any CallRecorder)
    case playing(any CallPlayer)
}

/// A call that is being recorded, or answered from a recording.
struct RecordableCall<Value, Failure: Error> {
    private let mode: CallMode
    private let call: RecordedCall
    private let index: Int

    /// Creates a call before it begins; nil if it is neither recorded nor answered.
    init?(
        _ mode: CallMode?, _ key: MockDirector.Key, _ method: String,
        _ arguments: KeyValuePairs<String, Any>
    ) {
        guard let mode else { return nil }
        let made = Self.made(key, method, arguments)
        guard case .success(let call) = made else {
            switch (mode, made) {
            case (.recording(let recorder), .failure(let obstacle)):
                recorder.skip(key, method, because: obstacle.reason)
            case (.playing(let player), _): player.pass(RecordedCall(key, method, [:]))
            default: break
            }
            return nil
        }
        (self.mode, self.call) = (mode, call)
        index = if case .recording(let recorder) = mode { recorder.begin() } else { 0 }
    }

    private typealias Obstacle = CallCoding.Obstacle

    private static func made(
        _ key: MockDirector.Key, _ method: String, _ arguments: KeyValuePairs<String, Any>
    ) -> Result<RecordedCall, Obstacle> {
        // Proxies pass no closures, and mark what a method changes.
        guard arguments.count == method.utf8.count(where: { $0 == UInt8(ascii: ":") }) else {
            return .failure(Obstacle(reason: "it takes a closure"))
        }
        if arguments.contains(where: { $0.key.hasPrefix("&") }) {
            return .failure(Obstacle(reason: "it changes its arguments"))
        }
        guard CallCoding.canCode(Value.self) else {
            return .failure(Obstacle(reason: "\(RegistrationKey.name(of: Value.self)) is not Codable"))
        }
        var object = JSONObject()
        for (name, value) in arguments {
            do { object[name] = try CallCoding.json(of: value) } catch {
                return .failure(Obstacle(reason: "'\(name)' \(Self.reason(of: error))"))
            }
        }
        return .success(RecordedCall(key, method, object))
    }

    private static func reason(of error: any Error) -> String {
        (error as? Obstacle)?.reason ?? CallText.of(error: error)
    }

    /// The recorded outcome; nil if the service itself has to answer.
    func played() -> Result<Value, Failure>? {
        guard case .playing(let player) = mode else { return nil }
        let failure: any Error
        do {
            switch try player.outcome(of: call) {
            case .value(let json): return .success(try value(json, of: player))
            case .failure(let json): failure = CallFailure.error(json, as: Failure.self)
            }
        } catch {
            failure = error
        }
        guard let failure = failure as? Failure else {
            player.pass(call)
            return nil
        }
        return .failure(failure)
    }

    private func value(_ json: JSONValue, of player: any CallPlayer) throws -> Value {
        do {
            return try CallCoding.value(Value.self, from: json)
        } catch {
            let reason = StateCoding.reason(of: error) ?? "it is not \(RegistrationKey.name(of: Value.self))."
            throw ServiceError(
                "notRecorded", "An answer to \(call.target) in '\(player.file)' does not fit: \(reason)",
                hint: "The module may have changed since. Record it again: mock record FILE", cause: error)
        }
    }

    /// Records the outcome; not that of a cancelled call.
    func end(_ outcome: Result<Value, Failure>) {
        guard case .recording(let recorder) = mode else { return }
        var call = call
        switch outcome {
        case .success(let value):
            do { call.outcome = .value(try CallCoding.json(of: value)) } catch {
                return recorder.skip(
                    call.key, call.method, because: "a result of it \(Self.reason(of: error))")
            }
        case .failure(let error):
            if error is CancellationError || (error as? any ExplainedError)?.category == .cancelled { return }
            let json = CallFailure.json(of: error, as: Failure.self)
            guard CallFailure.error(json, as: Failure.self) is Failure else {
                let reason =
                    CallCoding.canCode(Failure.self)
                    ? "an error of it can't be encoded without secrets: \(Failure.self)"
                    : "\(Failure.self) is not Codable"
                return recorder.skip(call.key, call.method, because: reason)
            }
            call.outcome = .failure(json)
        }
        recorder.add(call, at: index)
    }
}
