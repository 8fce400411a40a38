@_spi(Host) import AtriumKit
import Glibc

/// The connections to one server, each with a thread that runs closures on it.
///
/// Threads and connections are made when they are needed, up to a limit, and end after a time without use.
// architecture: allow unchecked-sendable, because the monitor protects its state
final class ConnectionPool: @unchecked Sendable {
    typealias Work = @Sendable (PooledConnection) -> Void

    let target: ConnectionTarget
    private let limits: EngineLimits
    private let monitor = Monitor()
    private var queue: [Work] = []
    private var (threads, idle) = (0, 0)
    /// Threads that are idle end if they have seen an earlier number.
    private var closings = 0

    /// The most closures that wait; more are refused at once.
    private static let longestQueue = 10_000

    init(to target: ConnectionTarget, _ limits: EngineLimits) {
        self.target = target
        self.limits = limits
    }

    enum Submission {
        case starts
        /// All connections are in use.
        case waits
        case refused(String)
    }

    /// Runs `work` on a thread with a connection, as soon as there is one.
    func submit(_ work: @escaping Work) -> Submission {
        monitor.enter {
            guard queue.count < Self.longestQueue else { return .refused("too many closures wait") }
            queue.append(work)
            if queue.count <= idle {
                monitor.signal()
                return .starts
            }
            guard threads < limits.connections else { return .waits }
            let error = DetachedThread.start { self.serve() }
            if error == 0 {
                threads += 1
                return .starts
            }
            guard threads == 0 else { return .waits }
            queue.removeLast()
            return .refused("no thread can be started: \(String(cString: strerror(error)))")
        }
    }

    private func serve() {
        let connection = PooledConnection(target)
        while let work = next() { work(connection) }
        connection.drop()
    }

    /// The next work; nil if the thread is to end.
    private func next() -> Work? {
        monitor.enter {
            let (end, seen) = (ContinuousClock.now + limits.idle, closings)
            while queue.isEmpty {
                let remaining = ContinuousClock.now.duration(to: end)
                guard remaining > .zero, closings == seen else {
                    threads -= 1
                    return nil
                }
                idle += 1
                monitor.wait(remaining)
                idle -= 1
            }
            return queue.removeFirst()
        }
    }

    /// Closes the connections that nobody uses.
    func closeIdle() {
        monitor.enter {
            closings += 1
            monitor.signal()
        }
    }
}

/// The connection of a pool's thread, made when it is first used and after a loss.
final class PooledConnection {
    private let target: ConnectionTarget
    private var connection: ServerConnection?
    private var wasConnected = false

    /// How long connecting again is tried: a server that is restarted refuses connections for a moment.
    private static let patience = Duration.seconds(2)

    init(_ target: ConnectionTarget) {
        self.target = target
    }

    /// - Throws: ``DatabaseError`` if the server can't be reached.
    func open(_ cancellation: Cancellation) throws -> ServerConnection {
        if let connection { return connection }
        let end = ContinuousClock.now + (wasConnected ? Self.patience : .zero)
        while true {
            do {
                try cancellation.check()
                let opened = try ServerConnection(to: target)
                (connection, wasConnected) = (opened, true)
                return opened
            } catch let error as DatabaseError where error.code == .databaseUnreachable {
                guard ContinuousClock.now < end else { throw error }
                usleep(50_000)
            }
        }
    }

    /// Closes the connection.
    func drop() { connection = nil }
}
