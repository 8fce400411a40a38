@_spi(Host) public import AtriumKit
internal import Synchronization

/// A clock that stands still until it is advanced.
public final class FixedClock: WallClock {
    private let current: Mutex<Timestamp>

    /// - Parameter start: The first moment; 2026-01-01T00:00:00Z by default.
    public init(_ start: Timestamp = Timestamp(microseconds: 1_767_225_600_000_000)) {
        current = Mutex(start)
    }

    /// Returns the start, plus what the clock was advanced by.
    public func now() -> Timestamp { current.withLock { $0 } }

    /// Moves the clock forward.
    public func advance(seconds: Int) {
        current.withLock { $0 = $0.adding(seconds: seconds) }
    }
}

/// A session separate from the process's own.
@MainActor
public final class TestSession {
    let manager = SessionManager.isolated()

    /// Creates a session of `user`, or of a guest, which ends a day after the start of ``FixedClock`` by
    /// default.
    public init(
        _ user: SessionUser? = nil, expiresAt: Timestamp = FixedClock().now().adding(seconds: 86_400)
    ) {
        guard let user else { return }
        writer.signIn(user, credential: SessionCredential(token: "test-token", expiresAt: expiresAt))
    }

    /// The session as repositories see it.
    public var writer: SessionWriter { SessionWriter(manager) }

    /// The session as view models see it.
    public var state: SessionState { SessionState(manager) }
}

/// Analytics that record events, in order.
public final class RecordingAnalytics: Analytics {
    private let recorded = Mutex<[AnalyticsEvent]>([])

    /// Creates analytics without events.
    public init() {}

    /// The events so far.
    public var events: [AnalyticsEvent] { recorded.withLock { $0 } }

    /// Records an event; sends nothing.
    public func track(_ event: AnalyticsEvent) { recorded.withLock { $0.append(event) } }
}

/// A log that records messages, in order.
public final class RecordingLog: Sendable {
    private let sink = Sink()

    /// Creates a log without messages, which keeps those of every level.
    public init() {}

    /// A logger that writes here.
    public var logger: Logger { Logger(module: "Test", sink: sink) }

    /// The messages so far, each after its level and a colon.
    public var messages: [String] { sink.recorded.withLock { $0 } }

    private final class Sink: LogSink {
        let level = LogLevel.debug
        let recorded = Mutex<[String]>([])

        func log(_ level: LogLevel, module: String, message: String) {
            recorded.withLock { $0.append("\(level): \(message)") }
        }
    }
}
