@_spi(Host) public import AtriumKit
internal import Synchronization

/// Keeps the messages that are logged, in order.
public final class RecordingLog: Sendable {
    private let sink = Sink()

    public init() {}

    /// Writes here.
    public var logger: Logger { Logger(module: "Test", sink: sink) }

    /// What was logged so far, each message after its level.
    ///
    /// In the form `warning: The disk is full.`
    public var messages: [String] { sink.recorded.withLock { $0 } }

    private final class Sink: LogSink {
        let level = LogLevel.debug
        let recorded = Mutex<[String]>([])

        func log(_ level: LogLevel, module: String, message: String) {
            recorded.withLock { $0.append("\(level): \(message)") }
        }
    }
}
