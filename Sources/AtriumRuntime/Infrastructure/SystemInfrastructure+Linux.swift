@_spi(Host) package import AtriumKit
internal import Glibc
internal import Synchronization

/// Appends log messages to a file that only its owner can read, one line each.
///
/// The file is opened with the first message. A message that can't be written is dropped, as is every message if
/// the path is no regular file.
package final class LogFile: LogSink, Analytics {
    package let level: LogLevel
    private let path: String
    private let clock: any WallClock
    private let descriptor = Mutex<CInt?>(nil)

    package init(path: String, level: LogLevel = .info, clock: any WallClock) {
        self.path = path
        self.level = level
        self.clock = clock
    }

    deinit {
        descriptor.withLock { descriptor in
            if let descriptor, descriptor >= 0 { _ = close(descriptor) }
        }
    }

    package func log(_ level: LogLevel, module: String, message: String) {
        let text = message.split(separator: "\n").joined(separator: " ")
        let line = Array("\(clock.now()) \(level) \(module): \(text)\n".utf8)
        descriptor.withLock { descriptor in
            let open = descriptor ?? FileSystem.openForAppending(path)
            descriptor = open
            if open >= 0 { _ = write(open, line, line.count) }
        }
    }

    package func track(_ event: AnalyticsEvent) {
        let properties = event.properties.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        log(.info, module: "analytics", message: event.name + properties)
    }
}

/// The time of the system's clock.
package struct SystemClock: WallClock {
    package init() {}

    package func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
