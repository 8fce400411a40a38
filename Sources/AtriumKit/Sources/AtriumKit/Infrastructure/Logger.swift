/// The log, for those who operate the host; never pass a secret, as messages are stored unchanged.
public struct Logger: Sendable {
    private let module: String
    private let sink: any LogSink

    @_spi(Host) public init(module: String, sink: any LogSink) {
        self.module = module
        self.sink = sink
    }

    /// Logs details that help to find a fault; the message is built only if the level is kept.
    public func debug(_ message: @autoclosure () -> String) { log(.debug, message) }

    /// Logs an expected event.
    public func info(_ message: @autoclosure () -> String) { log(.info, message) }

    /// Logs a problem that did not stop the work.
    public func warning(_ message: @autoclosure () -> String) { log(.warning, message) }

    /// Logs a problem that stopped the work.
    public func error(_ message: @autoclosure () -> String) { log(.error, message) }

    private func log(_ level: LogLevel, _ message: () -> String) {
        guard level >= sink.level else { return }
        sink.log(level, module: module, message: message())
    }
}

/// The importance of a log message.
@_spi(Host) public enum LogLevel: Int, Sendable, Comparable {
    case debug, info, warning, error

    /// Orders levels by importance; `debug` is the lowest.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The destination of log messages.
@_spi(Host) public protocol LogSink: Sendable {
    /// The lowest level that is kept.
    var level: LogLevel { get }
    func log(_ level: LogLevel, module: String, message: String)
}
