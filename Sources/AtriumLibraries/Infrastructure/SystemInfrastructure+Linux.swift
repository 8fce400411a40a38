@_spi(Host) package import AtriumKit
internal import Glibc
internal import Synchronization

/// Appends log messages to a file that only its owner can read, one line each.
///
/// The file is opened with the first message, and renamed to `PATH.1` when it is full, replacing the previous
/// one. Every message is one line of printable text: control characters are escaped, as they would control
/// the terminal that shows the file. A message that can't be written is dropped.
package final class LogFile: LogSink, Analytics {
    package let level: LogLevel
    private let path: String
    private let clock: any WallClock
    private let file = Mutex(OpenFile())
    /// The size limit of the file, in bytes.
    private static let largestFile = 1 << 20
    /// The length limit of a message, in characters.
    private static let longestMessage = 8_000

    private struct OpenFile {
        var descriptor: CInt = -1
        var size = 0
    }

    package init(path: String, level: LogLevel = .info, clock: any WallClock) {
        (self.path, self.level, self.clock) = (path, level, clock)
    }

    deinit {
        file.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
    }

    package func log(_ level: LogLevel, module: String, message: String) {
        let line = Array("\(clock.now()) \(level) \(module): \(Self.printable(message))\n".utf8)
        file.withLock { file in
            if file.descriptor < 0 { open(&file) }
            if file.size > 0, file.size + line.count > Self.largestFile {
                close(file.descriptor)
                rename(path, path + ".1")
                open(&file)
            }
            guard file.descriptor >= 0 else { return }
            file.size += max(0, write(file.descriptor, line, line.count))
        }
    }

    private func open(_ file: inout OpenFile) {
        var status = stat()
        file.descriptor = FileSystem.openForAppending(path)
        file.size = fstat(file.descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// A message on one line, without characters that control a terminal or the text direction.
    private static func printable(_ message: String) -> String {
        let lines = message.split(separator: "\n").joined(separator: " ").unicodeScalars
        var text = ""
        for scalar in lines.prefix(longestMessage) {
            switch scalar.properties.generalCategory {
            // The two joiners are part of words and emoji.
            case .format where scalar == "\u{200C}" || scalar == "\u{200D}":
                text.unicodeScalars.append(scalar)
            case .control, .format, .lineSeparator, .paragraphSeparator:
                text += scalar == "\t" ? " " : scalar.escaped(asASCII: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
        let rest = lines.count - longestMessage
        return rest > 0 ? "\(text)… (\(rest) more characters)" : text
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
