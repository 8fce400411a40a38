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

    @Test("Each level is passed on with the module's name, in order")
    func levels() {
        let log = RecordingLog()

        log.logger.debug("a")
        log.logger.info("b")
        log.logger.warning("c")
        log.logger.error("d")

        #expect(log.messages == ["debug: a", "info: b", "warning: c", "error: d"])
    }

    @Test("A message below the sink's level is not even made")
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
