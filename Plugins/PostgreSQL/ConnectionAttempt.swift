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
            throw ServerFailure.silent(for: seconds)
        }
        guard let opened = attempt.state.withLock({ $0.opened }) else {
            throw ServerFailure(words: "out of memory")
        }
        guard PQstatus(opened) == CONNECTION_OK else {
            defer { PQfinish(opened) }
            throw ServerFailure(of: opened)
        }
        return opened
    }

    /// Returns false if it has ended meanwhile.
    private func giveUp() -> Bool {
        state.withLock { state in
            state.isGivenUp = state.opened == nil
            return state.isGivenUp
        }
    }

    private func connect(_ url: String, _ seconds: Double) {
        let opened = Self.opened(url, seconds)
        let isLate = state.withLock { state in
            state.opened = opened
            return state.isGivenUp
        }
        if isLate { PQfinish(opened) }
        hasEnded.signal()
    }

    private static func opened(_ url: String, _ seconds: Double) -> OpaquePointer? {
        // Later parameters win: a URL may override the earlier ones, but not the encoding.
        let parameters = [
            // The share of each server that the URL names; libpq waits for at least two seconds.
            ("connect_timeout", String(max(2, Int(seconds) / hostCount(of: url)))),
            // An unreachable server acknowledges nothing.
            ("tcp_user_timeout", String(Int(seconds * 1000))),
            ("fallback_application_name", "atrium"), ("dbname", url), ("client_encoding", "UTF8"),
        ]
        let names = parameters.map { strdup($0.0) } + [nil]
        let values = parameters.map { strdup($0.1) } + [nil]
        defer { (names + values).forEach { free($0) } }
        return names.map { UnsafePointer($0) }.withUnsafeBufferPointer { names in
            values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
                // A URL in `dbname` is expanded.
                PQconnectdbParams(names.baseAddress, values.baseAddress, 1)
            }
        }
    }

    /// The number of servers that a URL names.
    private static func hostCount(of url: String) -> Int {
        guard let options = PQconninfoParse(url, nil) else { return 1 }
        defer { PQconninfoFree(options) }
        var (option, count) = (options, 1)
        while let keyword = option.pointee.keyword {
            if ["host", "hostaddr"].contains(String(cString: keyword)), let value = option.pointee.val {
                count = max(
                    count,
                    String(cString: value).split(separator: ",", omittingEmptySubsequences: false).count)
            }
            option += 1
        }
        return count
    }
}
