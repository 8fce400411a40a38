import AtriumKit
internal import CCurl
import Glibc
import Synchronization

/// The thread that drives all requests of a transport through libcurl's multi interface.
///
/// Starts with the first request, loads libcurl, and ends with ``stop()``.
final class TransportThread: Sendable {
    private enum Command {
        case start(Exchange)
        case drop(Exchange)
    }

    // architecture: allow unchecked-sendable, because other threads use the handle under the lock only
    private struct State: @unchecked Sendable {
        var commands: [Command] = []
        var hasBegun = false
        var isStopped = false
        /// True if the thread is waiting and must be woken.
        var isAsleep = false
        var multi: UnsafeMutableRawPointer?
    }

    private let state = Mutex(State())
    private let limits: TransportLimits

    init(_ limits: TransportLimits) {
        self.limits = limits
    }

    // MARK: - From any thread

    /// Sends an exchange; fails it once the thread is stopped, when nothing would answer it.
    func start(_ exchange: Exchange) {
        let started: (isFirst: Bool, sleeper: UnsafeMutableRawPointer?)? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.commands.append(.start(exchange))
            defer { (state.hasBegun, state.isAsleep) = (true, false) }
            return (!state.hasBegun, state.isAsleep ? state.multi : nil)
        }
        guard let (isFirst, sleeper) = started else {
            return exchange.fail(.connectionLost(exchange.request, wasSent: false))
        }
        // Outside the lock, which the thread takes when it wakes. The caller holds the transport until it
        // gets its response, so the thread does not end meanwhile.
        if let sleeper { ccurl_multi_wakeup(sleeper) }
        if isFirst { begin() }
    }

    /// Drops an exchange that has ended without libcurl.
    func drop(_ exchange: Exchange) {
        state.withLock { state in
            state.commands.append(.drop(exchange))
            Self.wake(&state)
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            Self.wake(&state)
        }
    }

    private static func wake(_ state: inout State) {
        guard state.isAsleep, let multi = state.multi else { return }
        state.isAsleep = false
        ccurl_multi_wakeup(multi)
    }

    private func begin() {
        let context = Unmanaged.passRetained(self)
        let error = ccurl_start_thread(
            { context in
                guard let context else { return }
                Unmanaged<TransportThread>.fromOpaque(context).takeRetainedValue().run()
            }, context.toOpaque())
        guard error != 0 else { return }
        context.release()
        refuseAll("no thread can be started: \(String(cString: strerror(error)))")
    }

    // MARK: - On the thread

    private func run() {
        if let problem = ccurl_load() { return refuseAll(String(cString: problem)) }
        guard let multi = ccurl_multi_init() else { return refuseAll("there is no memory") }
        ccurl_multi_set_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, limits.connections)
        ccurl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, max(limits.connections, 16))
        state.withLock { $0.multi = multi }
        var loop = TransportLoop(multi, limits)
        while let commands = takeCommands() {
            for command in commands {
                switch command {
                case .start(let exchange): loop.start(exchange)
                case .drop(let exchange): loop.drop(exchange)
                }
            }
            loop.perform()
            if let wait = waitingTime(loop) { ccurl_multi_poll(multi, wait) }
        }
        state.withLock { $0.multi = nil }
        loop.end()
        failRest()
    }

    /// Fails the exchanges that came just before the stop.
    private func failRest() {
        let commands = state.withLock { $0.commands }
        for case .start(let exchange) in commands {
            exchange.fail(.connectionLost(exchange.request, wasSent: false))
        }
    }

    /// The commands since the last call; nil once the thread is stopped.
    private func takeCommands() -> [Command]? {
        state.withLock { state in
            state.isAsleep = false
            guard !state.isStopped else { return nil }
            defer { state.commands.removeAll(keepingCapacity: true) }
            return state.commands
        }
    }

    /// The time to wait for libcurl, in milliseconds; nil if there are commands.
    private func waitingTime(_ loop: TransportLoop) -> CInt? {
        state.withLock { state in
            guard state.commands.isEmpty, !state.isStopped else { return nil }
            state.isAsleep = true
            return loop.waitingTime
        }
    }

    /// Fails all requests so far; the next one tries again.
    private func refuseAll(_ reason: String) {
        while let commands = takeCommands() {
            for case .start(let exchange) in commands { exchange.fail(.noLibrary(exchange.request, reason)) }
            let isDone = state.withLock { state in
                guard state.commands.isEmpty else { return false }
                state.hasBegun = false
                return true
            }
            if isDone { return }
        }
        failRest()
    }
}

/// The transfers of a transport, on its thread.
private struct TransportLoop {
    private let multi: UnsafeMutableRawPointer
    private let limits: TransportLimits
    private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    private var handles: [ObjectIdentifier: UnsafeMutableRawPointer] = [:]
    /// The time at which a limit may be reached next; nil without transfers.
    private var nextCheck: ContinuousClock.Instant?

    init(_ multi: UnsafeMutableRawPointer, _ limits: TransportLimits) {
        self.multi = multi
        self.limits = limits
    }

    mutating func start(_ exchange: Exchange) {
        guard !exchange.isFinished else { return }
        do {
            let transfer = try CurlTransfer(exchange, limits)
            guard ccurl_multi_add(multi, transfer.easy) == CURLM_OK else {
                throw TransportError.outOfMemory(exchange.request)
            }
            transfers[transfer.easy] = transfer
            handles[ObjectIdentifier(exchange)] = transfer.easy
            let limit = limit(of: exchange, now: .now)
            nextCheck = nextCheck.map { min($0, limit) } ?? limit
        } catch let error as TransportError {
            exchange.fail(error)
        } catch {
            exchange.fail(.outOfMemory(exchange.request))
        }
    }

    mutating func drop(_ exchange: Exchange) {
        guard let easy = handles[ObjectIdentifier(exchange)] else { return }
        remove(easy)
        exchange.discard()
    }

    private mutating func remove(_ easy: UnsafeMutableRawPointer) {
        guard let transfer = transfers.removeValue(forKey: easy) else { return }
        handles[ObjectIdentifier(transfer.exchange)] = nil
        transfer.exchange.leaveSocket()
        ccurl_multi_remove(multi, easy)
    }

    /// Advances all transfers as far as possible without waiting.
    mutating func perform() {
        _ = ccurl_multi_perform(multi)
        var code = CURLE_OK
        while let easy = ccurl_multi_next_done(multi, &code) {
            guard let transfer = transfers[easy] else { continue }
            let (exchange, failure) = (transfer.exchange, transfer.failure(code))
            remove(easy)
            if exchange.restarts() { start(exchange) } else { exchange.complete(failure) }
        }
        checkLimits()
    }

    mutating func end() {
        for (easy, transfer) in transfers {
            remove(easy)
            transfer.exchange.fail(.connectionLost(transfer.exchange.request))
        }
        ccurl_multi_cleanup(multi)
    }

    // MARK: - Limits

    var waitingTime: CInt {
        guard let nextCheck else { return 600_000 }
        return CInt(min(max((nextCheck - .now).millisecondsRoundedUp, 0), 600_000))
    }

    /// The time at which the exchange reaches a limit if nothing happens before.
    private func limit(of exchange: Exchange, now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        min(exchange.deadline, (exchange.lastActivity ?? now) + limits.idle)
    }

    private mutating func checkLimits() {
        let now = ContinuousClock.now
        guard let due = nextCheck, due <= now else { return }
        nextCheck = nil
        for (easy, transfer) in transfers {
            let exchange = transfer.exchange
            let limit = limit(of: exchange, now: now)
            if limit > now {
                nextCheck = nextCheck.map { min($0, limit) } ?? limit
            } else {
                remove(easy)
                exchange.fail(
                    exchange.deadline <= now
                        ? .timedOut(exchange.request, wasSent: exchange.sends > 0)
                        : .silent(exchange.request, limits.idle))
            }
        }
    }
}
