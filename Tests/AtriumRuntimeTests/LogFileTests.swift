@_spi(Host) import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import AtriumRuntime

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
