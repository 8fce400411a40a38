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
}
