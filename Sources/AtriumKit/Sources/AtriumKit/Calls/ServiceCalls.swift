internal import Synchronization

/// The calls of one service, with the taps, the faults and the recording that wait for them.
///
/// It belongs to the name of a service, not to a generation of its module.
public final class ServiceCalls: Sendable {
    private struct State {
        var taps: [CallTap] = []
        var faults: [CallFault] = []
        var mode: CallMode?

        func set(_ flag: CallsFlag) { flag.isSet.pointee = !taps.isEmpty || !faults.isEmpty || mode != nil }
    }

    /// All that waits for one call.
    private struct Waiting {
        let taps: [CallTap]
        let fault: CallFault.Effect?
        let mode: CallMode?
    }

    @_spi(Host) public let key: MockDirector.Key
    /// Tells proxies whether calls have to pass `perform`: a tap, a fault or a recording waits for them.
    public let flag: CallsFlag
    private let state = Mutex(State())

    init(_ key: MockDirector.Key) {
        self.key = key
        flag = CallsFlag(isSet: .allocate(capacity: 1))
        flag.isSet.initialize(to: false)
    }

    deinit { flag.isSet.deallocate() }

    /// Performs an asynchronous call: reports it to the taps, delays it or makes it fail by the faults, and records it
    /// or answers it from a recording.
    nonisolated(nonsending) public func perform<Value, Failure: Error>(
        _ method: String, _ arguments: KeyValuePairs<String, Any>,
        _ body: nonisolated(nonsending) () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let waiting = begin(method)
        guard !waiting.taps.isEmpty else { return try await answer(method, arguments, waiting, body) }
        let call = TappedCall()
        let outcome = await TappedCall.$current.withValue(call) { () async -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try await answer(method, arguments, waiting, body))
            } catch {
                return .failure(error)
            }
        }
        report(call, method, arguments, outcome, to: waiting.taps)
        return try outcome.get()
    }

    nonisolated(nonsending) private func answer<Value, Failure: Error>(
        _ method: String, _ arguments: KeyValuePairs<String, Any>, _ waiting: Waiting,
        _ body: nonisolated(nonsending) () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if let fault = waiting.fault { try await fault.happen(Failure.self) }
        guard let call = RecordableCall<Value, Failure>(waiting.mode, key, method, arguments) else {
            return try await body()
        }
        if let played = call.played() { return try played.get() }
        do throws(Failure) {
            let value = try await body()
            call.end(.success(value))
            return value
        } catch {
            call.end(.failure(error))
            throw error
        }
    }

    /// Performs a call at once: reports it to the taps, makes it fail by the faults, and records it or answers it from
    /// a recording.
    public func perform<Value, Failure: Error>(
        _ method: String, _ arguments: KeyValuePairs<String, Any>, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let waiting = begin(method)
        guard !waiting.taps.isEmpty else { return try answer(method, arguments, waiting, body).get() }
        let call = TappedCall()
        let outcome = answer(method, arguments, waiting, body)
        report(call, method, arguments, outcome, to: waiting.taps)
        return try outcome.get()
    }

    private func answer<Value, Failure: Error>(
        _ method: String, _ arguments: KeyValuePairs<String, Any>, _ waiting: Waiting,
        _ body: () throws(Failure) -> Value
    ) -> Result<Value, Failure> {
        do throws(Failure) {
            if let fault = waiting.fault { try fault.fail(Failure.self) }
        } catch {
            return .failure(error)
        }
        let call = RecordableCall<Value, Failure>(waiting.mode, key, method, arguments)
        if let played = call?.played() { return played }
        let outcome: Result<Value, Failure>
        do throws(Failure) { outcome = .success(try body()) } catch { outcome = .failure(error) }
        call?.end(outcome)
        return outcome
    }

    private func begin(_ method: String) -> Waiting {
        let name = ServiceMethod.baseName(of: method)
        return state.withLock { state in
            let index = state.faults.firstIndex { $0.method == nil || $0.method == name }
            return Waiting(
                taps: state.taps.filter { $0.target.method == nil || $0.target.method == name },
                fault: index.flatMap { state.faults[$0].next(key) }, mode: state.mode)
        }
    }

    private func report<Value, Failure: Error>(
        _ call: TappedCall, _ method: String, _ arguments: KeyValuePairs<String, Any>,
        _ outcome: Result<Value, Failure>, to taps: [CallTap]
    ) {
        let (duration, hasFailed) = (call.start.duration(to: .now), (try? outcome.get()) == nil)
        let wanting = taps.filter { $0.takesCall(of: duration, failed: hasFailed) }
        guard !wanting.isEmpty else { return }
        let (result, failure): (String?, String?) =
            switch outcome {
            case .success(let value): (value is Void ? nil : CallText.of(value), nil)
            case .failure(let error): (nil, CallText.of(error: error))
            }
        let record = CallRecord(
            key: key, method: ServiceMethod.baseName(of: method),
            arguments: arguments.map { name, value in
                (name, SecretName.matches(name) ? CallText.hidden : CallText.of(value))
            },
            result: result, failure: failure, duration: duration, origin: CommandOrigin.current,
            steps: call.takenSteps)
        for tap in wanting { tap.add(record) }
    }

    // MARK: - Taps, faults and recordings

    /// Records the calls, or answers them from a recording; nil ends both.
    func set(_ mode: CallMode?) {
        state.withLock { state in
            state.mode = mode
            state.set(flag)
        }
    }

    @_spi(Host) public var faults: [CallFault] { state.withLock { $0.faults } }

    /// Changes the faults while no call looks at them.
    func changeFaults(_ body: (inout [CallFault]) -> Void) {
        state.withLock { state in
            body(&state.faults)
            state.set(flag)
        }
    }

    func add(_ tap: CallTap) { changeTaps { $0.append(tap) } }

    func remove(_ tap: CallTap) { changeTaps { taps in taps.removeAll { $0 === tap } } }

    private func changeTaps(_ body: (inout [CallTap]) -> Void) {
        state.withLock { state in
            body(&state.taps)
            state.set(flag)
        }
    }
}

/// True while calls of a service pass its ``ServiceCalls``, which keep it: one load, inlined into proxies.
@frozen public struct CallsFlag: Sendable {
    // Set under a lock and read without one: a call that begins in that moment is seen or not, either is right.
    @usableFromInline nonisolated(unsafe) let isSet: UnsafeMutablePointer<Bool>

    /// True while a tap, a fault or a recording waits for calls, which is rare: the other calls don't jump.
    @inlinable @inline(__always) public var isOn: Bool { _slowPath(isSet.pointee) }
}
