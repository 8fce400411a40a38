@_spi(Host) package import AtriumKit
internal import AtriumManifest

package struct LogLine: Sendable, Hashable {
    /// In ISO 8601, to the second.
    package let time: String
    package let level: LogLevel
    package let module: String
    package let message: String
    /// Nil if no command caused it.
    package let origin: CommandOrigin?

    package init(time: String, level: LogLevel, module: String, message: String, origin: CommandOrigin?) {
        (self.time, self.level, self.module) = (time, level, module)
        (self.message, self.origin) = (message, origin)
    }

    /// Reads a line of the file; nil if it is not whole.
    package init?(_ line: some StringProtocol) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        let words = fields[0].split(separator: " ", maxSplits: 2)
        guard words.count == 3, let level = LogLevels.level(named: String(words[1])),
            let colon = words[2].firstRange(of: ": ")
        else { return nil }
        (time, self.level) = (String(words[0]), level)
        (module, message) = (String(words[2][..<colon.lowerBound]), String(words[2][colon.upperBound...]))
        origin = fields.count == 3 ? CommandOrigin(scene: String(fields[1]), command: String(fields[2])) : nil
    }

    /// The line of the file: what caused it follows the message after tabs, which no field contains.
    package var text: String {
        "\(time) \(LogLevels.name(of: level)) \(module): \(message)"
            + (origin.map { "\t\($0.scene)\t\($0.command)" } ?? "")
    }
}

/// The levels from which messages are kept, by module.
package struct LogLevels: Sendable, Hashable {
    package struct Setting: Sendable, Hashable {
        package var level: LogLevel
        /// The time at which the former level applies again.
        package var end: ContinuousClock.Instant
    }

    /// The level of modules without their own.
    package var standard: LogLevel = .info
    /// The levels that count until the host ends.
    package var modules: [String: LogLevel] = [:]
    /// The levels that count for some time.
    package private(set) var limited: [String: Setting] = [:]

    /// The names under which the host itself logs.
    package static let ownNames = ["host", "api", "analytics"]

    package init() {}

    /// Writes the names as `modules` and the host do.
    ///
    /// - Returns: Those that neither has.
    package mutating func resolve(among names: [String]) -> [String] {
        let known = Dictionary((names + Self.ownNames).map { ($0.lowercased(), $0) }) { first, _ in first }
        let given = modules
        modules = Dictionary(
            given.map { (known[$0.key.lowercased()] ?? $0.key, $0.value) }, uniquingKeysWith: max)
        return given.keys.filter { known[$0.lowercased()] == nil }.sorted()
    }

    /// The names of the levels, lowest first.
    ///
    /// Interpolating a level would look for its name at run time.
    package static var names: [String] { HostConfiguration.logLevels }

    package static func level(named name: String) -> LogLevel? {
        names.firstIndex(of: name).flatMap(LogLevel.init)
    }

    package static func name(of level: LogLevel) -> String { names[level.rawValue] }

    /// The lowest level of any module.
    var lowest: LogLevel {
        ([standard] + modules.values + limited.values.map(\.level)).min() ?? standard
    }

    package func level(of module: String) -> LogLevel {
        limited[module]?.level ?? modules[module] ?? standard
    }

    mutating func set(_ level: LogLevel, of module: String, until end: ContinuousClock.Instant?) {
        limited[module] = end.map { Setting(level: level, end: $0) }
        if end == nil { modules[module] = level }
    }

    /// Drops the levels whose time is over.
    mutating func expire(at now: ContinuousClock.Instant) {
        limited = limited.filter { $0.value.end > now }
    }
}

/// The conditions that a line of the log has to meet to be shown.
package struct LogFilter: Sendable {
    package var module: String?
    package var level: LogLevel?
    /// In any case.
    package var text: String?

    package init(module: String? = nil, level: LogLevel? = nil, text: String? = nil) {
        (self.module, self.level, self.text) = (module, level, text?.lowercased())
    }

    package func admits(_ line: LogLine) -> Bool {
        (module.map { $0 == line.module } ?? true) && (level.map { $0 <= line.level } ?? true)
            && (text.map { line.message.lowercased().contains($0) } ?? true)
    }
}

/// Receives new lines of the log on the main actor, in batches, until it is released.
///
/// At most 1,000 lines wait; what does not fit is counted.
package final class LogFollower: Sendable {
    package typealias Receiver = @MainActor @Sendable (_ lines: [LogLine], _ dropped: Int) -> Void

    private let filter: LogFilter
    private let queue: MainActorQueue<LogLine>

    init(_ filter: LogFilter, _ receive: @escaping Receiver) {
        self.filter = filter
        queue = MainActorQueue(limit: 1_000, receive)
    }

    func add(_ line: LogLine) {
        if filter.admits(line) { queue.add(line) }
    }
}
