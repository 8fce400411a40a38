internal import Synchronization

/// Prints each request and its response while it is on; all APIs of a host share one.
package final class APITracer: Sendable {
    package enum Detail: String, Sendable, CaseIterable {
        case off, on
        /// With header fields and bodies.
        case full
    }

    package typealias Receiver = @MainActor @Sendable (_ line: String) -> Void

    private let state = Mutex(State())

    private struct State {
        var detail = Detail.off
        var receive: Receiver?
        var count = 0
    }

    package init() {}

    package var detail: Detail { state.withLock { $0.detail } }

    /// `receive` gets each line, before the request is sent and when its response is complete.
    package func start(_ detail: Detail, _ receive: @escaping Receiver) {
        state.withLock { ($0.detail, $0.receive) = (detail, receive) }
    }

    package func stop() { state.withLock { ($0.detail, $0.receive) = (.off, nil) } }

    /// A number for the lines of the next request.
    func nextNumber() -> Int {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    func print(_ lines: [String]) async {
        guard let receive = state.withLock({ $0.receive }) else { return }
        await MainActor.run { for line in lines { receive(line) } }
    }
}
