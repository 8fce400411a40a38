@_spi(Host) import AtriumKit
import AtriumTesting
import Synchronization
import Testing

@Suite("The logger")
struct LoggerTests {
    private final class WarningSink: LogSink {
        let level = LogLevel.warning
        let lines = Mutex<[String]>([])

        func log(_ level: LogLevel, module: String, message: String) {
            lines.withLock { $0.append("\(module) \(level) \(message)") }
        }
    }

    @Test("Messages of every level are passed on in order")
    func levels() {
        let log = RecordingLog()

        log.logger.debug("a")
        log.logger.info("b")
        log.logger.warning("c")
        log.logger.error("d")

        #expect(log.messages == ["debug: a", "info: b", "warning: c", "error: d"])
    }

    @Test("A message below the sink's level is not evaluated")
    func belowLevel() {
        let sink = WarningSink()
        let logger = Logger(module: "Catalog", sink: sink)
        var made = 0
        func message() -> String {
            made += 1
            return "m\(made)"
        }

        logger.debug(message())
        logger.info(message())
        logger.warning(message())

        #expect(made == 1)
        #expect(sink.lines.withLock { $0 } == ["Catalog warning m1"])
    }
}
