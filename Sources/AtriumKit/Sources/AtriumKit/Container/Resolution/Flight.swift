/// An awaited build of a shared value that any number of requests wait for.
@MainActor
class AnyFlight {
    /// Where the value goes; another slot once the state in which the build began has passed.
    var slot: Slot
    /// Whether the value is the present state's too, although the build began in a past one.
    fileprivate(set) var isPresent = false
    /// The builds that this one waits for now.
    private(set) var awaited: [AnyFlight] = []

    init(slot: Slot) {
        self.slot = slot
    }

    /// The names on the way from this build to `other`, over the builds that are waited for; nil where there
    /// is none.
    func path(to other: AnyFlight) -> [String]? {
        if self === other { return [slot.key.name] }
        for next in awaited {
            if let path = next.path(to: other) { return [slot.key.name] + path }
        }
        return nil
    }

    /// Notes that the build in which `request` asks waits for this one.
    ///
    /// - Throws: ``ResolutionError`` with code `cycle` where this one waits for that already.
    func begin(waiting request: Request) throws {
        guard let asker = request.flight else { return }
        if let path = path(to: asker) {
            throw ResolutionError.cycle(ring: path + request.names(below: asker) + [slot.key.name])
        }
        asker.awaited.append(self)
    }

    /// Tells the factory to stop.
    func cancel() {}

    /// Notes that `request` waits no longer.
    func end(waiting request: Request) {
        guard let asker = request.flight else { return }
        if let index = asker.awaited.firstIndex(where: { $0 === self }) { asker.awaited.remove(at: index) }
    }
}

/// The build with its type.
final class Flight<Value>: AnyFlight {
    private var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var tickets = 0
    private var task: Task<Void, Never>?
    private var result: Result<ValueBox<Value>, any Error>?

    /// Begins the build.
    func start(_ build: @escaping @MainActor () async throws -> Value) {
        task = Task {
            let result: Result<ValueBox<Value>, any Error>
            do {
                result = .success(ValueBox(try await build()))
            } catch {
                result = .failure(error)
            }
            self.finish(result)
        }
    }

    /// A failure is told to those who wait and not remembered.
    private func finish(_ result: Result<ValueBox<Value>, any Error>) {
        self.result = result
        if slot.flight === self {
            slot.flight = nil
            if case .success(let box) = result {
                slot.keep(box)
                if slot.container.allowsInlining { slot.open() }
            }
        }
        let present = slot.container.root.slot(slot.key)
        if present.flight === self {
            present.flight = nil
            isPresent = slot.container.promote(slot)
        }
        let continuations = waiting.values
        waiting = [:]
        for continuation in continuations { continuation.resume() }
        task = nil
    }

    /// What came of the build, or why `request` did not wait for it.
    ///
    /// Cancelling one who waits leaves the others waiting; with the last of them, the build is cancelled.
    func outcome(for request: Request) async -> FlightOutcome<Value> {
        do {
            try begin(waiting: request)
        } catch {
            return .givenUp(error)
        }
        defer { end(waiting: request) }
        do {
            if result == nil { try await wait() }
            guard let result else { throw CancellationError() }
            switch result {
            case .success(let box): return .built(box.value)
            case .failure(let error): return .failed(error)
            }
        } catch {
            return .givenUp(error)
        }
    }

    private func wait() async throws {
        tickets += 1
        let ticket = tickets
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                guard !Task.isCancelled else {
                    continuation.resume(throwing: CancellationError())
                    cancelIfUnwanted()
                    return
                }
                waiting[ticket] = continuation
            }
        } onCancel: {
            Task { @MainActor in self.cancel(ticket) }
        }
    }

    override func cancel() {
        task?.cancel()
    }

    private func cancel(_ ticket: Int) {
        guard let continuation = waiting.removeValue(forKey: ticket) else { return }
        continuation.resume(throwing: CancellationError())
        cancelIfUnwanted()
    }

    private func cancelIfUnwanted() {
        guard waiting.isEmpty, result == nil else { return }
        task?.cancel()
        // Who asks next must not join a build that was told to stop.
        if slot.flight === self { slot.flight = nil }
    }
}

/// What waiting for a build came to.
struct FlightOutcome<Value> {
    /// Whether the request gave up, so that the state of the build does not matter.
    let isEnd: Bool
    private let result: Result<Value, any Error>

    static func built(_ value: Value) -> FlightOutcome {
        FlightOutcome(isEnd: false, result: .success(value))
    }
    static func failed(_ error: any Error) -> FlightOutcome {
        FlightOutcome(isEnd: error is CancellationError, result: .failure(error))
    }
    static func givenUp(_ error: any Error) -> FlightOutcome {
        FlightOutcome(isEnd: true, result: .failure(error))
    }

    /// The value; throws why there is none.
    func get() throws -> Value { try result.get() }
}

extension Request {
    /// The names of what is being built here for `flight`, its own excepted, from the top down.
    fileprivate func names(below flight: AnyFlight) -> [String] {
        guard let slot, slot !== flight.slot else { return [] }
        return (parent?.names(below: flight) ?? []) + [slot.key.name]
    }
}
