internal import Synchronization

/// A change of a topic of data, made by this host or by another one that uses the same database.
///
/// Services announce changes with ``DatabaseConnection/announce(_:key:)``; repositories observe them:
///
/// ```swift
/// context.changes("entities").add(repository) { repository, change in
///     if !change.isOwn { repository.invalidate() }
/// }
/// ```
public struct DataChange: Sendable, Hashable {
    /// The announced keys; nil if any part of the topic may have changed, as after a lost connection.
    public let keys: Set<String>?
    /// True if this host made the change.
    public let isOwn: Bool

    /// Creates a change that a repository sends to its module, where no database announces it.
    public init(keys: Set<String>?, isOwn: Bool) {
        self.keys = keys
        self.isOwn = isOwn
    }

    /// True if the data of `key` may have changed.
    public func concerns(_ key: String) -> Bool { keys?.contains(key) ?? true }
}

extension ObserverList where Event == DataChange {
    /// Reloads what `observer` shows after each change, one load at a time; further changes cause one more
    /// load.
    ///
    /// After a failure the content stays. `load` must not capture the observer, which is held weakly between
    /// loads.
    public func reload<Observer: AnyObject>(
        _ observer: Observer,
        where isConcerned: @escaping @MainActor (Observer, DataChange) -> Bool = { _, _ in true },
        _ load: @escaping @MainActor (Observer) async throws -> Void
    ) {
        let loads = Loads()
        add(observer, loads: loads) { observer, change in
            guard isConcerned(observer, change) else { return }
            loads.isOutdated = true
            guard loads.running == nil else { return }
            let running = Promise<Void>()
            loads.running = running
            Task.immediate {
                while loads.isOutdated {
                    loads.isOutdated = false
                    try? await load(observer)
                }
                loads.running = nil
                running.settle(.success(()))
            }
        }
    }

    /// Waits for the loads of `observer` that changes have caused, also for those that changes cause meanwhile.
    public func finishReloading(_ observer: AnyObject) async { await finishLoads(of: observer) }
}

@MainActor
final class Loads {
    /// Settled when no further load follows; nil if none is in progress.
    var running: Promise<Void>?
    var isOutdated = false
}

/// An announcement of what a transaction changes: one key of a topic, or all of it.
public struct Announcement: Sendable, Hashable {
    /// The name of the data, such as `entities`.
    public let topic: String
    /// The changed part of the topic, such as an id; nil if it may be everything.
    public let key: String?

    @_spi(Host) public init(topic: String, key: String?) {
        self.topic = topic
        self.key = key
    }

    /// The announcement that any topic may have changed, as after a lost connection.
    @_spi(Host) public static let everything = Announcement(topic: "", key: nil)

    /// Returns the announcements of one transaction without repetitions; many keys of a topic become all of
    /// it.
    @_spi(Host) public static func merged(_ announcements: [Announcement]) -> [Announcement] {
        var keys: [String: Set<String>?] = [:]
        for announcement in announcements {
            let known = keys[announcement.topic, default: []]
            guard let known, let key = announcement.key, known.count < mostKeys else {
                keys[announcement.topic] = .some(nil)
                continue
            }
            keys[announcement.topic] = known.union([key])
        }
        return keys.sorted { $0.key < $1.key }.flatMap { topic, keys in
            keys.map { $0.sorted().map { Announcement(topic: topic, key: $0) } }
                ?? [Announcement(topic: topic, key: nil)]
        }
    }

    private static let mostKeys = 100
}

/// Delivers changes of data to the repositories that observe their topic; frequent ones are merged.
@_spi(Host) @MainActor public final class ChangeFeed {
    private var topics: [String: ObserverList<DataChange>] = [:]
    private let waiting = Mutex(Waiting())

    private struct Waiting {
        var own: [Announcement] = []
        var others: [Announcement] = []
        var isScheduled = false
        var last: ContinuousClock.Instant?
    }

    public nonisolated init() {}

    /// Returns the observers of a topic, the same list on each call.
    public func changes(of topic: String) -> ObserverList<DataChange> {
        if let list = topics[topic] { return list }
        let list = ObserverList<DataChange>()
        topics[topic] = list
        return list
    }

    /// Accepts committed announcements; observers are notified later, on the main actor.
    public nonisolated func send(_ announcements: [Announcement], isOwn: Bool) {
        guard !announcements.isEmpty else { return }
        let delay = waiting.withLock { waiting -> Duration? in
            if isOwn { waiting.own += announcements } else { waiting.others += announcements }
            guard !waiting.isScheduled else { return nil }
            waiting.isScheduled = true
            let rest = waiting.last.map { $0 + Self.pause - .now } ?? .zero
            return max(.zero, rest)
        }
        guard let delay else { return }
        Task { @MainActor in
            if delay > .zero { try? await Task.sleep(for: delay) }
            self.deliver()
        }
    }

    /// The least time between two deliveries: an open screen reads its data for each.
    private nonisolated static let pause = Duration.milliseconds(100)

    /// Makes all observers drop their data, before this returns.
    public func dropEverything() {
        for list in topics.values { list.send(DataChange(keys: nil, isOwn: false)) }
    }

    private func deliver() {
        let taken = waiting.withLock { waiting in
            defer { waiting = Waiting(last: .now) }
            return waiting
        }
        if taken.others.contains(.everything) {
            dropEverything()
        } else {
            deliver(taken.others, isOwn: false)
        }
        deliver(taken.own, isOwn: true)
    }

    private func deliver(_ announcements: [Announcement], isOwn: Bool) {
        for (topic, announcements) in Dictionary(grouping: announcements, by: \.topic) {
            let keys = announcements.map(\.key)
            topics[topic]?.send(
                DataChange(keys: keys.contains(nil) ? nil : Set(keys.compactMap(\.self)), isOwn: isOwn))
        }
    }
}
