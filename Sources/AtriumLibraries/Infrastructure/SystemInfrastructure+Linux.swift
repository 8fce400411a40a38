@_spi(Host) package import AtriumKit
package import AtriumStorage
internal import Glibc
internal import Synchronization

/// Appends log messages to a file that only its owner can read, one line each.
///
/// The file is opened with the first message, and renamed to `PATH.1` when it is full, replacing the previous
/// one. Every message is one line of printable text: control characters are escaped, as they would control
/// the terminal that shows the file. A message that can't be written is dropped.
package final class LogFile: LogSink, Analytics {
    /// The lowest level of any module.
    package var level: LogLevel { LogLevel(rawValue: lowest.load(ordering: .relaxed)) ?? .info }
    private let path: String
    private let clock: any WallClock
    private let file = Mutex(OpenFile())
    private let kept = Mutex(LogLevels())
    private let lowest = Atomic(LogLevel.info.rawValue)
    private let followers = Mutex<[Follower]>([])

    private struct Follower { weak var follower: LogFollower? }
    /// The size limit of the file, in bytes.
    private static let largestFile = 1 << 20
    /// The length limit of a message, in characters.
    private static let longestMessage = 8_000

    private struct OpenFile {
        var descriptor: CInt = -1
        var size = 0
    }

    package init(path: String, clock: any WallClock) {
        (self.path, self.clock) = (path, clock)
    }

    deinit {
        file.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
    }

    package func log(_ level: LogLevel, module: String, message: String) {
        guard level >= levels.level(of: module) else { return }
        let origin = CommandOrigin.current.map {
            CommandOrigin(scene: Self.printable($0.scene), command: Self.printable($0.command))
        }
        let line = LogLine(
            time: clock.now().description, level: level, module: module, message: Self.printable(message),
            origin: origin)
        write(Array((line.text + "\n").utf8))
        for follower in followers.withLock({ $0 }) { follower.follower?.add(line) }
    }

    private func write(_ line: [UInt8]) {
        file.withLock { file in
            if file.descriptor < 0 { open(&file) }
            if file.size > 0, file.size + line.count > Self.largestFile {
                close(file.descriptor)
                rename(path, path + ".1")
                open(&file)
            }
            guard file.descriptor >= 0 else { return }
            file.size += max(0, Glibc.write(file.descriptor, line, line.count))
        }
    }

    /// The levels that count now.
    package var levels: LogLevels {
        get {
            kept.withLock { kept in
                if !kept.limited.isEmpty { kept.expire(at: .now) }
                lowest.store(kept.lowest.rawValue, ordering: .relaxed)
                return kept
            }
        }
        set {
            kept.withLock { $0 = newValue }
            lowest.store(newValue.lowest.rawValue, ordering: .relaxed)
        }
    }

    /// Keeps a module's messages from a level on: for a time, after which the level of before counts again, or
    /// until the host ends.
    package func keep(_ level: LogLevel, of module: String, for time: Duration? = nil) {
        var levels = levels
        levels.set(level, of: module, until: time.map { .now + $0 })
        self.levels = levels
    }

    /// The newest lines, oldest first, including those of earlier processes.
    ///
    /// - Throws: ``StorageError`` if the file can't be read.
    package func lines(_ filter: LogFilter, last count: Int) throws(StorageError) -> [LogLine] {
        var found: [LogLine] = []
        for path in [path, path + ".1"] where found.count < count {
            guard let bytes = try FileContents.readIfPresent(path) else { continue }
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            found += lines.reversed().lazy.compactMap { LogLine($0) }.filter(filter.admits).prefix(
                count - found.count)
        }
        return found.reversed()
    }

    package func follow(_ filter: LogFilter, _ receive: @escaping LogFollower.Receiver) -> LogFollower {
        let follower = LogFollower(filter, receive)
        followers.withLock { followers in
            followers.removeAll { $0.follower == nil }
            followers.append(Follower(follower: follower))
        }
        return follower
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

/// A clock that stands still, for output that is always the same.
package struct StandingClock: WallClock {
    private let time: Timestamp

    package init(_ time: Timestamp) { self.time = time }

    package func now() -> Timestamp { time }
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
