/// Runs operations of the main actor in an order that a seed decides, by holding them at gates.
///
/// A service of the test waits at ``pass(_:)`` wherever a real one would take time. The interleaver starts operations
/// and opens gates one at a time, and continues only when nothing else can run: when as many wait at gates as the
/// code under test has in flight. So the same seed gives the same order, without sleeping or yielding.
///
/// ```swift
/// let interleaver = Interleaver(seed: 7) { model.pending.count }
/// model.settled.add(interleaver) { interleaver, _ in interleaver.notice() }
/// try await interleaver.begin { _ = try? await model.delete(2) }
/// try await interleaver.begin { _ = try? await model.update(3, changes) }
/// try await interleaver.open("delete 2")
/// try await interleaver.finish()
/// ```
@MainActor
final class Interleaver {
    private struct Gate {
        let number: Int
        let name: String
        let continuation: CheckedContinuation<Void, any Error>
    }

    private let limit: Int
    private let inFlight: @MainActor () -> Int
    private var state: UInt64
    private var gates: [Gate] = []
    private var arrivals = 0
    private var running = 0
    private var awaiting: CheckedContinuation<Void, Never>?

    /// - Parameters:
    ///   - seed: Decides the order.
    ///   - limit: How many events one step may take; more are an error, not an endless wait.
    ///   - inFlight: How many requests of the code under test are not answered; each of them is at one gate when
    ///     nothing else can run. It must change only in turns of the main actor that a start, an end, or
    ///     ``notice()`` follows.
    init(seed: UInt64, limit: Int = 1_000, inFlight: @escaping @MainActor () -> Int) {
        state = seed
        self.limit = limit
        self.inFlight = inFlight
    }

    /// The names of the waiting gates, in order of arrival.
    var waiting: [String] { gates.map(\.name) }

    // MARK: - What is tested

    /// Waits until the gate is opened.
    ///
    /// - Throws: `CancellationError` if the task is cancelled meanwhile.
    nonisolated func pass(_ name: String) async throws {
        try await wait(at: name)
    }

    private func wait(at name: String) async throws {
        try Task.checkCancellation()
        arrivals += 1
        let number = arrivals
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                gates.append(Gate(number: number, name: name, continuation: continuation))
                notice()
            }
        } onCancel: {
            Task { @MainActor in self.leave(number) }
        }
    }

    private func leave(_ number: Int) {
        guard let index = gates.firstIndex(where: { $0.number == number }) else { return }
        gates.remove(at: index).continuation.resume(throwing: CancellationError())
        notice()
    }

    /// Reports that the number of requests in flight may have changed.
    func notice() {
        awaiting?.resume()
        awaiting = nil
    }

    // MARK: - What the test does

    /// Starts an operation, and returns when it has ended or is held.
    ///
    /// - Returns: The operation, to be cancelled.
    /// - Throws: ``InterleaverError`` if it does neither within the limit.
    @discardableResult
    func begin(_ operation: @escaping @MainActor () async -> Void) async throws -> Task<Void, Never> {
        running += 1
        let task = Task.immediate {
            await operation()
            self.running -= 1
            self.notice()
        }
        try await settle()
        return task
    }

    /// Cancels an operation, and returns when everything that follows from that has happened.
    func cancel(_ operation: Task<Void, Never>) async throws {
        operation.cancel()
        await operation.value
        try await settle()
    }

    /// Opens the gate that the seed chooses.
    ///
    /// - Returns: Whether any gate was waiting.
    @discardableResult
    func open() async throws -> Bool {
        guard !gates.isEmpty else { return false }
        try await open(at: choose(gates.count))
        return true
    }

    /// Opens the gate of this name that has waited longest.
    ///
    /// - Throws: ``InterleaverError`` if there is none.
    func open(_ name: String) async throws {
        guard let index = gates.firstIndex(where: { $0.name == name }) else {
            throw InterleaverError("Nothing waits at '\(name)'; waiting: \(waiting).")
        }
        try await open(at: index)
    }

    /// Opens gates until none is waiting and every operation has ended.
    func finish() async throws {
        for _ in 0..<limit where running > 0 || !gates.isEmpty {
            if try await !open(), running > 0 { await event() }
        }
        guard running == 0, gates.isEmpty else {
            throw InterleaverError("\(running) operations have not ended; waiting: \(waiting).")
        }
    }

    /// A number from 0 up to `count` that the seed decides (SplitMix64).
    func choose(_ count: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(count))
    }

    private func open(at index: Int) async throws {
        gates.remove(at: index).continuation.resume()
        try await settle()
    }

    /// Waits until nothing else can run.
    private func settle() async throws {
        for _ in 0..<limit {
            if gates.count != inFlight() {
                await event()
                continue
            }
            // The operation that was just answered runs before the test does.
            await turn()
            if gates.count == inFlight() { return }
        }
        throw InterleaverError("\(inFlight()) are in flight, but waiting: \(waiting).")
    }

    /// Runs everything that is ready on the main actor.
    private func turn() async {
        await Task { @MainActor in }.value
    }

    private func event() async {
        await withCheckedContinuation { awaiting = $0 }
    }
}

/// The code under test does not do what the test expects.
struct InterleaverError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
