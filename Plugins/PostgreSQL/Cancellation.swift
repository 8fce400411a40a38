import CPostgreSQL
import Dispatch
import Synchronization

/// True if the caller was cancelled.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }

    func check() throws { if isCancelled { throw CancellationError() } }
}

/// A request to the server to end the statement of a connection.
///
/// Sent on another thread: libpq blocks until the server has taken it, and an unreachable one never does.
final class CancelRequest: Sendable {
    private let sent = DispatchSemaphore(value: 0)
    private let begun = ServerConnection.now

    init(to connection: OpaquePointer) {
        // architecture: allow unchecked-sendable, because nothing but the closure uses it
        nonisolated(unsafe) let request = PQgetCancel(connection)
        // architecture: allow unowned-task, because nothing but the statement depends on it
        DispatchQueue(label: "atrium.postgresql.cancel").async { [sent] in
            var reason = [CChar](repeating: 0, count: 256)
            PQcancel(request, &reason, 256)
            PQfreeCancel(request)
            sent.signal()
        }
    }

    /// True if it is too early for another request.
    var isRecent: Bool { ServerConnection.now < begun + 0.2 || !isSent(within: 0) }

    /// True if the server takes or refuses it within some seconds.
    func isSent(within seconds: Double) -> Bool {
        guard sent.wait(timeout: .now() + seconds) == .success else { return false }
        sent.signal()
        return true
    }
}
