@_spi(Host) import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

private struct StoppedClock: WallClock {
    func now() -> Timestamp { Timestamp(microseconds: 0) }
}

@Suite("The log file")
struct LogFileTests {
    private let folder = TemporaryFolder()

    private var log: LogFile { LogFile(path: folder.path("log"), clock: StoppedClock()) }
    private var text: String { String(decoding: contents(folder.path("log")), as: UTF8.self) }

    @Test("Each message is appended as a line; only the owner can read the file")
    func lines() throws {
        folder.write("before\n".utf8, to: "log")
        log.log(.warning, module: "Catalog", message: "one\ntwo\n")
        log.log(.info, module: "Shop", message: "three")
        var status = stat()
        stat(folder.path("log"), &status)

        #expect(
            text
                == "before\n1970-01-01T00:00:00Z warning Catalog: one two\n1970-01-01T00:00:00Z info Shop: three\n"
        )
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test("Control characters and those that turn the direction of text are escaped; tabs are blanks")
    func printable() {
        log.log(.info, module: "A", message: "a\u{1B}[2Jb\r\tc\u{9B}d\u{202E}e\u{2028}f\u{0}g 👩‍👧")

        #expect(
            text == #"1970-01-01T00:00:00Z info A: a\u{1B}[2Jb\r c\u{009B}d\u{202E}e\u{2028}f\0g 👩‍👧"# + "\n")
    }

    @Test("A long message is cut")
    func long() {
        log.log(.info, module: "A", message: String(repeating: "ä", count: 8_003))

        #expect(text.hasSuffix("ää… (3 more characters)\n"))
    }

    @Test("A full file is renamed, and replaces the one before")
    func rotates() {
        let log = log
        let message = String(repeating: "x", count: 8_000)
        for number in 0..<400 { log.log(.info, module: "A", message: "\(number) \(message)") }

        #expect(folder.names() == ["log", "log.1"])
        let sizes = folder.names().map { contents(folder.path($0)).count }
        #expect(sizes.allSatisfy { $0 <= 1 << 20 })
        #expect(sizes.reduce(0, +) > 1 << 20)
        #expect(text.contains("A: 399 x"))
    }

    @Test("What is in place of the file is renamed")
    func replaced() {
        symlink("/etc/hostname", folder.path("log"))

        log.log(.info, module: "A", message: "m")

        #expect(text == "1970-01-01T00:00:00Z info A: m\n")
        #expect(folder.names() == ["log", "log.damaged"])
    }

    @Test("An event is a line with its properties sorted by name")
    func events() {
        log.track(AnalyticsEvent("sold", ["what": "lamp", "count": "2"]))

        #expect(text == "1970-01-01T00:00:00Z info analytics: sold count=2 what=lamp\n")
    }

    @Test("The file is created by the first message; a path that can't be written is ignored")
    func noFile() {
        _ = log
        LogFile(path: folder.path("missing/log"), clock: StoppedClock()).log(
            .error, module: "A", message: "m")

        #expect(folder.names().isEmpty)
    }

    @Test("The system clock gives ascending, current times")
    func clock() {
        let (first, second) = (SystemClock().now(), SystemClock().now())

        #expect(first <= second)
        #expect(first.description > "2024")
    }

    // MARK: - Reading

    @Test(
        "A line is read as it was written, with the command that caused it",
        arguments: ["m", "a: b", "", "ends with: ", "tab\tand\nline", "👩‍👧: \u{1B}[2J"],
        [nil, CommandOrigin(scene: "main", command: "entities/1 set name 'a\tb'")])
    func whole(_ message: String, _ origin: CommandOrigin?) throws {
        CommandOrigin.$current.withValue(origin) { log.log(.error, module: "Shop", message: message) }

        let line = try #require(try log.lines(LogFilter(), last: 1).first)
        #expect(line.module == "Shop" && line.level == .error && line.time == "1970-01-01T00:00:00Z")
        #expect(line.message == message.replacing("\t", with: " ").replacing("\n", with: " ").escapedAsLogged)
        #expect(line.origin?.command == origin?.command.replacing("\t", with: " "))
        #expect(line.origin?.scene == origin?.scene)
        #expect(text == line.text + "\n")
    }

    @Test("The newest lines are found in both files, by module, level and text; what is no line is skipped")
    func filters() throws {
        folder.write(
            "1970-01-01T00:00:00Z info Shop: old\nno line\n1970-01-01T00:00:00Z loud Shop: x\n".utf8,
            to: "log.1")
        let log = log
        log.log(.warning, module: "Catalog", message: "A Lamp is gone")
        log.log(.info, module: "Shop", message: "a lamp was sold")

        func found(_ filter: LogFilter, _ count: Int = 10) throws -> [String] {
            try log.lines(filter, last: count).map(\.message)
        }
        #expect(try found(LogFilter()) == ["old", "A Lamp is gone", "a lamp was sold"])
        #expect(try found(LogFilter(), 2) == ["A Lamp is gone", "a lamp was sold"])
        #expect(try found(LogFilter(), 0) == [])
        #expect(try found(LogFilter(module: "Shop")) == ["old", "a lamp was sold"])
        #expect(try found(LogFilter(level: .warning)) == ["A Lamp is gone"])
        #expect(try found(LogFilter(text: "LAMP")) == ["A Lamp is gone", "a lamp was sold"])
        #expect(try found(LogFilter(module: "Shop", text: "lamp"), 1) == ["a lamp was sold"])
    }

    // MARK: - Levels

    @Test("A module's level is its own; a message below it is not even built")
    func levels() {
        let log = log
        log.keep(.debug, of: "Shop")
        let (shop, catalog) = (Logger(module: "Shop", sink: log), Logger(module: "Catalog", sink: log))
        shop.debug("kept")
        catalog.debug("dropped")
        log.keep(.error, of: "Catalog")
        catalog.warning("dropped, too")
        #expect(text == "1970-01-01T00:00:00Z debug Shop: kept\n")
        #expect(log.level == .debug)

        log.keep(.info, of: "Shop")
        var built = 0
        func message() -> String {
            built += 1
            return "m"
        }
        shop.debug(message())
        #expect(built == 0 && log.level == .info)
    }

    @Test("A level for a time falls back to the one before, by itself")
    func expires() {
        let log = log
        log.keep(.warning, of: "Shop")
        log.keep(.debug, of: "Shop", for: .seconds(3_600))
        #expect(log.levels.level(of: "Shop") == .debug && log.level == .debug)

        log.keep(.debug, of: "Shop", for: .zero)
        #expect(log.levels.level(of: "Shop") == .warning && log.level == .info)
    }

    // MARK: - Following

    @MainActor
    private final class Received {
        var lines: [String] = []
        var dropped = 0
    }

    @MainActor
    @Test("A follower gets new lines that it asked for, until it is released")
    func follows() async {
        let (log, received) = (log, Received())
        log.log(.info, module: "Shop", message: "before")
        var follower: LogFollower? = log.follow(LogFilter(module: "Shop")) { lines, dropped in
            received.lines += lines.map(\.message)
            received.dropped += dropped
        }
        log.log(.info, module: "Shop", message: "one")
        log.log(.info, module: "Catalog", message: "other")
        await settle { received.lines == ["one"] }
        #expect(received.lines == ["one"] && follower != nil)

        follower = nil
        log.log(.info, module: "Shop", message: "two")
        await Task.yield()
        #expect(received.lines == ["one"])
    }

    @MainActor
    @Test("A follower that can't keep up is told how many lines it missed, and nobody waits for it")
    func dropped() async {
        let (log, received) = (log, Received())
        let follower = log.follow(LogFilter()) { lines, dropped in
            received.lines += lines.map(\.message)
            received.dropped += dropped
        }
        for number in 0..<5_000 { log.log(.info, module: "Shop", message: "\(number)") }
        await settle { received.dropped > 0 }

        #expect(received.lines.count == 1_000 && received.dropped == 4_000)
        withExtendedLifetime(follower) {}
    }

    @MainActor
    private func settle(_ isDone: () -> Bool) async {
        for _ in 0..<1_000 where !isDone() { await Task.yield() }
    }
}

extension String {
    /// The text as the log has it.
    fileprivate var escapedAsLogged: String { replacing("\u{1B}", with: "\\u{1B}") }
}
