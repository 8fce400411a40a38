/// The time that the main thread spends on the work of each module.
///
/// It counts during turns of the main queue, not while the thread waits. The newest piece of work that has not
/// ended gets the time: nothing says which of several a turn continues.
package enum MainActorTime {
    /// The time of a module since the start of the process.
    package struct Usage: Sendable {
        package fileprivate(set) var total = Duration.zero
        /// The number of times that it kept the main thread for ``delay`` or longer without a pause.
        package fileprivate(set) var delays = 0
        /// The longest time without a pause, after the host has started.
        package fileprivate(set) var longest = Duration.zero

        fileprivate mutating func add(_ other: Usage) {
            total += other.total
            delays += other.delays
            longest = max(longest, other.longest)
        }
    }

    /// The shortest delay that a user notices while typing.
    package static let delay = Duration.milliseconds(50)

    // Unsafe only in form: only the main thread uses them.

    /// False while the host starts: no prompt waits yet.
    nonisolated(unsafe) package static var countsDelays = false
    nonisolated(unsafe) private static var usages: [String: Usage] = [:]
    /// The work that has not ended, the newest last.
    nonisolated(unsafe) private static var running: [Work] = []
    nonisolated(unsafe) private static var turn = 0
    nonisolated(unsafe) private static var isInTurn = false
    /// The moment up to which the time of this turn is counted.
    nonisolated(unsafe) private static var counted = ContinuousClock.now

    @MainActor
    package static func usage(of module: String) -> Usage {
        count()
        var usage = usages[module] ?? Usage()
        for work in running where work.module == module { usage.add(work.usage) }
        return usage
    }

    package static func beginTurn() {
        turn &+= 1
        isInTurn = true
        if !running.isEmpty { counted = .now }
    }

    package static func endTurn() {
        count()
        isInTurn = false
    }

    private static func count() {
        guard isInTurn, let work = running.last else { return }
        let now = ContinuousClock.now
        work.add(counted.duration(to: now), in: turn)
        counted = now
    }

    /// Begins work of a module; nil is explained at ``Work/module``.
    @MainActor
    package static func begin(_ module: String?) -> Work {
        count()
        if isInTurn, running.isEmpty { counted = .now }
        let work = Work(module)
        running.append(work)
        return work
    }

    package final class Work {
        /// The module whose work it is; nil if that is not known yet, or if it is the host's.
        package var module: String?
        fileprivate private(set) var usage = Usage()
        private var turn = 0
        private var inTurn = Duration.zero

        fileprivate init(_ module: String?) { self.module = module }

        fileprivate func add(_ time: Duration, in turn: Int) {
            if turn != self.turn { (self.turn, inTurn) = (turn, .zero) }
            let before = inTurn
            inTurn += time
            usage.total += time
            guard countsDelays else { return }
            usage.longest = max(usage.longest, inTurn)
            if before < delay, inTurn >= delay { usage.delays += 1 }
        }

        /// Ends the work, and adds its time to its module's.
        ///
        /// - Returns: The time of this work.
        @MainActor @discardableResult
        package func end() -> Usage {
            count()
            running.removeAll { $0 === self }
            if let module { usages[module, default: Usage()].add(usage) }
            return usage
        }
    }
}
