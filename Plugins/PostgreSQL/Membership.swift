@_spi(Host) import AtriumKit
import Dispatch
import Glibc
import Synchronization

/// Hears other hosts' changes and notifies them of this host's, on a separate connection and thread.
///
/// Holds an advisory lock with a number: a host counts as connected while its lock is held. Others are
/// notified by a `NOTIFY` without payload on this connection, after the commit and at most a hundred times a
/// second: a `NOTIFY` takes a database-wide lock when it commits, so writing transactions contain none.
final class Membership: DatabaseMembership {
    private let pool: ConnectionPool
    private let table: ChangeTable
    private let hear: @Sendable (MembershipEvent) -> Void
    private let queue = DispatchQueue(label: "atrium.postgresql.changes")
    private let state = Mutex(State())
    private let wake: Wakeup

    private struct State {
        /// True if other hosts have not been notified of a commit yet.
        var isUntold = false
        var isLeaving = false
        var hasEnded = false
        var leaving: [CheckedContinuation<Void, Never>] = []
        /// The latest time of the next request for others' changes; nil while changes are not followed.
        var due: ContinuousClock.Instant?
        /// True if the server has not answered in time.
        var isSilent = false
    }

    init(
        _ pool: ConnectionPool, _ table: ChangeTable, silence patience: Duration = .seconds(1),
        hear: @escaping @Sendable (MembershipEvent) -> Void
    ) {
        (self.pool, self.table, self.hear) = (pool, table, hear)
        wake = Wakeup()
        // architecture: allow unowned-task, because leave() ends it, and waits for it
        queue.async { self.work() }
        guard patience > .zero else { return }
        watch(patience)
    }

    /// Passes on this host's committed changes, and soon notifies the other hosts.
    func committed(_ announcements: [Announcement]) {
        hear(.changed(announcements, isOwn: true))
        state.withLock { $0.isUntold = true }
        wake.write()
    }

    nonisolated(nonsending) func members() async throws -> Set<Int> {
        try await pool.run { [pool] lane, cancellation in
            do {
                let members = {
                    let result = try pool.connection(of: lane, cancellation).run(
                        Self.membersStatement, cancellation)
                    return Set((0..<result.rowCount).compactMap { result.text($0, 0).flatMap { Int($0) } })
                }
                do { return try members() } catch let failure as ServerFailure where failure.isLoss {
                    // The pool may not know yet that the connection is lost.
                    lane.connection = nil
                    return try members()
                }
            } catch let failure as ServerFailure {
                throw ChangeTable.explainer.error(failure)
            }
        }
    }

    /// Waits at most two seconds: a server that does not answer must not keep a host from exiting.
    nonisolated(nonsending) func leave() async {
        state.withLock { $0.isLeaving = true }
        wake.write()
        await withCheckedContinuation { caller in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.leaving.append(caller) }
                return state.hasEnded
            }
            if hasEnded { return caller.resume() }
            // architecture: allow unowned-task, because it only resumes the caller
            DispatchQueue.global().asyncAfter(deadline: .now() + 2) { self.letGo() }
        }
    }

    private func letGo() {
        let callers = state.withLock { state in
            defer { (state.leaving, state.hasEnded) = ([], true) }
            return state.leaving
        }
        for caller in callers { caller.resume() }
    }

    /// Reports the connection as lost if the server does not answer in time; the connection to an unreachable
    /// server ends only after 25 seconds.
    private func watch(_ patience: Duration) {
        let end = (state.withLock { $0.isSilent ? nil : $0.due } ?? .now) + patience
        let wait = max(ContinuousClock.now.duration(to: end), .milliseconds(10))
        // architecture: allow unowned-task, because it ends with the membership
        DispatchQueue.global().asyncAfter(deadline: .now() + wait / .seconds(1)) { [weak self] in
            guard let self, !self.state.withLock({ $0.hasEnded || $0.isLeaving }) else { return }
            let isNews = self.state.withLock { state in
                guard !state.isSilent, let due = state.due, .now >= due + patience else { return false }
                state.isSilent = true
                return true
            }
            if isNews {
                let failure = ServerFailure(words: "the server does not answer")
                self.hear(.lost(ChangeTable.explainer.error(failure)))
            }
            self.watch(patience)
        }
    }

    // MARK: - On the thread

    private var isLeaving: Bool { state.withLock { $0.isLeaving } }

    private func work() {
        var pause: Int32 = 100
        while true {
            do {
                let connection = try pool.connect(isFeed: true)
                try pool.requireSessions(connection)
                try connection.run("SET synchronous_commit = off")
                try ChangeTable.migrator.migrate(connection)
                try connection.run("LISTEN \(Self.channel)")
                let number = try enter(connection)
                var position = try table.end(connection)
                pause = 100
                if !isLeaving { hear(.joined(number)) }
                try follow(connection, as: number, from: &position)
                return letGo()
            } catch {
                let failure = error as? ServerFailure
                state.withLock { ($0.due, $0.isSilent) = (nil, false) }
                hear(.lost(failure.map { ChangeTable.explainer.error($0) } ?? error))
            }
            if isLeaving { return letGo() }
            wake.wait(milliseconds: pause)
            if isLeaving { return letGo() }
            pause = min(pause * 2, 5_000)
        }
    }

    /// Takes a number that no other host holds.
    private func enter(_ connection: ServerConnection) throws -> Int {
        while true {
            let number = Int.random(in: 1...Int(Int32.max))
            let lock = try connection.run("SELECT pg_try_advisory_lock(\(Self.lockClass), \(number))")
            if lock.text(0, 0) == "t" { return number }
        }
    }

    private func follow(
        _ connection: ServerConnection, as number: Int, from position: inout ChangeTable.Position
    ) throws {
        var (told, read) = (ContinuousClock.now - Self.pause, ContinuousClock.now - Self.pause)
        var (isNews, trimmed) = (true, ContinuousClock.now)
        while true {
            let now = ContinuousClock.now
            var next = read + Self.patience
            if isNews || now >= next {
                if now >= read + Self.pause {
                    (isNews, read) = (false, now)
                    next = now + Self.patience
                    state.withLock { $0.due = now }
                    let changes = try table.read(from: &position, connection)
                    // From now on, reads are as new as the known changes.
                    let wasSilent = state.withLock { state in
                        defer { (state.due, state.isSilent) = (.now + Self.patience, false) }
                        return state.isSilent
                    }
                    if let changes, !wasSilent {
                        if !changes.isEmpty { hear(.changed(Announcement.merged(changes), isOwn: false)) }
                    } else {
                        hear(.joined(number))
                    }
                } else {
                    next = read + Self.pause
                }
            }
            let (isUntold, isLeaving) = state.withLock { ($0.isUntold, $0.isLeaving) }
            if isUntold {
                if now >= told + Self.pause || isLeaving {
                    state.withLock { $0.isUntold = false }
                    do {
                        try answering { try connection.run("NOTIFY \(Self.channel)") }
                    } catch {
                        state.withLock { $0.isUntold = true }
                        throw error
                    }
                    told = now
                } else {
                    next = min(next, told + Self.pause)
                }
            }
            if isLeaving { return }
            if now >= trimmed + .seconds(60) {
                trimmed = now
                do { try answering { try ChangeTable.trim(connection) } } catch let failure as ServerFailure {
                    // A database that takes no changes is heard all the same.
                    guard failure.isReadOnly else { throw failure }
                }
            }
            if try connection.listen(until: next, or: wake) { isNews = true }
        }
    }

    /// Runs a statement that the server has to answer in time, as it is not asked for changes meanwhile.
    private func answering(_ run: () throws -> Void) rethrows {
        state.withLock { $0.due = .now }
        defer { state.withLock { $0.due = .now + Self.patience } }
        try run()
    }

    /// The minimum time between two notifications, and between two reads.
    private static let pause = Duration.milliseconds(10)
    /// The interval at which a host that hears nothing polls: another one may have died between its commit
    /// and its notification.
    private static let patience = Duration.seconds(1)
    private static let channel = "atrium_changes"
    /// The class of the locks; an arbitrary number that others are unlikely to use.
    private static let lockClass = 0x6174_726D
    private static let membersStatement = """
        SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = \(lockClass)
        AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """
}

/// Wakes a thread that waits for a socket.
final class Wakeup: Sendable {
    let reader: Int32
    private let writer: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        // Without descriptors the thread wakes only when its waits end.
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        // architecture: allow direct-networking, because it only wakes a thread of this process
        _ = socketpair(AF_UNIX, Int32(kind), 0, &ends)
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    func write() {
        var byte: UInt8 = 0
        // A full pipe wakes the reader too.
        _ = Glibc.write(writer, &byte, 1)
    }

    func wait(milliseconds: Int32) {
        var descriptor = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        if poll(&descriptor, 1, milliseconds) > 0 { drain() }
    }

    func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(reader, &bytes, 64) > 0 {}
    }
}
