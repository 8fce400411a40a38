/// Writes messages for the people who operate the host; never a secret, as they are stored as they are.
public struct Logger: Sendable {
    private let module: String
    private let sink: any LogSink

    @_spi(Host) public init(module: String, sink: any LogSink) {
        self.module = module
        self.sink = sink
    }

    /// Something worth knowing when a fault is looked for.
    public func debug(_ message: @autoclosure () -> String) { log(.debug, message) }

    /// Something that happened as it should.
    public func info(_ message: @autoclosure () -> String) { log(.info, message) }

    /// Something that went wrong without stopping the work.
    public func warning(_ message: @autoclosure () -> String) { log(.warning, message) }

    /// Something that stopped the work.
    public func error(_ message: @autoclosure () -> String) { log(.error, message) }

    private func log(_ level: LogLevel, _ message: () -> String) {
        guard level >= sink.level else { return }
        sink.log(level, module: module, message: message())
    }
}

@_spi(Host) public enum LogLevel: Int, Sendable, Comparable {
    case debug, info, warning, error

    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

@_spi(Host) public protocol LogSink: Sendable {
    /// The least level that is kept.
    var level: LogLevel { get }
    func log(_ level: LogLevel, module: String, message: String)
}
