import AtriumKit
import Synchronization

/// Responses that are returned in order; the last one repeats.
final class Turns: Sendable {
    private let rest: Mutex<[Result<HTTPResponse, TransportError>]>

    init(_ answers: [Result<HTTPResponse, TransportError>]) {
        rest = Mutex(answers)
    }

    func next() throws -> HTTPResponse {
        try rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }.get()
    }
}

/// Counts events.
final class Counter: Sendable {
    private let state = Mutex(0)
    var count: Int { state.withLock { $0 } }

    @discardableResult func add() -> Int {
        state.withLock { count in
            count += 1
            return count
        }
    }
}
