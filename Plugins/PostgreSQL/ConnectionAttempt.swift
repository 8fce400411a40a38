import CPostgreSQL
import Dispatch
import Glibc
import Synchronization

/// An attempt to connect, on another thread: libpq limits the time for each address, but not for all of
/// them, nor for the look-up of a name.
final class ConnectionAttempt: Sendable {
    private let state = Mutex(State())
    private let hasEnded = DispatchSemaphore(value: 0)

    // architecture: allow unchecked-sendable, because one thread at a time uses the connection
    private struct State: @unchecked Sendable {
        var opened: OpaquePointer?
        var failure: ServerFailure?
        var isGivenUp = false
    }

    /// Opens a connection, or fails within some seconds.
    ///
    /// - Throws: ``ServerFailure``.
    static func open(_ url: String, within seconds: Double) throws -> OpaquePointer {
        let attempt = ConnectionAttempt()
        // architecture: allow unowned-task, because libpq limits its time, and it closes what comes too late
        DispatchQueue(label: "atrium.postgresql.connect").async { attempt.connect(url, seconds) }
        guard attempt.hasEnded.wait(timeout: .now() + seconds) == .success || !attempt.giveUp() else {
            throw attempt.state.withLock { $0.failure } ?? .silent(for: seconds)
        }
        let (opened, failure) = attempt.state.withLock { ($0.opened, $0.failure) }
        guard let opened else { throw failure ?? ServerFailure(words: "out of memory") }
        return opened
    }

    /// Returns false if it has connected meanwhile.
    private func giveUp() -> Bool {
        state.withLock { state in
            state.isGivenUp = state.opened == nil
            return state.isGivenUp
        }
    }

    /// Gives each server two seconds, the least that libpq takes; if one does not answer, twice as long in the
    /// next round, up to the limit.
    private func connect(_ url: String, _ seconds: Double) {
        defer { hasEnded.signal() }
        let end = ServerConnection.now + seconds
        var timeout = 2.0
        while true {
            let start = ServerConnection.now
            let failure: ServerFailure
            switch Self.opened(url, timeout, within: seconds) {
            case .success(let opened):
                let isLate = state.withLock { state in
                    if !state.isGivenUp { state.opened = opened }
                    return state.isGivenUp
                }
                if isLate { PQfinish(opened) }
                return
            case .failure(let reason): failure = reason
            }
            state.withLock { $0.failure = failure }
            let now = ServerConnection.now
            // libpq counts whole seconds of the clock.
            guard !failure.isRefusal, now - start > timeout - 1, end - now >= 2 else { return }
            timeout = min(timeout * 2, (end - now).rounded(.up))
        }
    }

    private static func opened(
        _ url: String, _ timeout: Double, within seconds: Double
    ) -> Result<OpaquePointer, ServerFailure> {
        // Later parameters win: a URL may override the earlier ones, but not the encoding.
        let parameters = [
            ("connect_timeout", String(Int(timeout))),
            // An unreachable server acknowledges nothing.
            ("tcp_user_timeout", String(Int(seconds * 1000))),
            ("fallback_application_name", "atrium"), ("dbname", url), ("client_encoding", "UTF8"),
        ]
        let names = parameters.map { strdup($0.0) } + [nil]
        let values = parameters.map { strdup($0.1) } + [nil]
        defer { (names + values).forEach { free($0) } }
        let opened = names.map { UnsafePointer($0) }.withUnsafeBufferPointer { names in
            values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
                // A URL in `dbname` is expanded.
                PQconnectdbParams(names.baseAddress, values.baseAddress, 1)
            }
        }
        guard let opened else { return .failure(ServerFailure(words: "out of memory")) }
        if PQstatus(opened) == CONNECTION_OK { return .success(opened) }
        guard let failure = refusal(of: opened) else { return .success(opened) }
        PQfinish(opened)
        return .failure(failure)
    }

    /// The reason why there is no connection; nil if a second attempt made one.
    ///
    /// If a server refused it, the second attempt asks for the SQLSTATE, which libpq reports in text alone.
    private static func refusal(of connection: OpaquePointer) -> ServerFailure? {
        let failure = ServerFailure(of: connection)
        // In any language, a severity ends with a colon and two spaces.
        guard failure.words.contains(":  ") else { return failure }
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        PQreset(connection)
        guard PQstatus(connection) != CONNECTION_OK else {
            PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
            return nil
        }
        return failure.refused(verbosely: ServerFailure(of: connection).words)
    }
}
