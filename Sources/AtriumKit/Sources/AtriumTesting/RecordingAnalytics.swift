public import AtriumKit
internal import Synchronization

/// Keeps the events that it is given, in order.
public final class RecordingAnalytics: Analytics {
    private let recorded = Mutex<[AnalyticsEvent]>([])

    public init() {}

    /// What was tracked so far.
    public var events: [AnalyticsEvent] { recorded.withLock { $0 } }

    public func track(_ event: AnalyticsEvent) {
        recorded.withLock { $0.append(event) }
    }
}
