@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCrash
@testable import AtriumModules

@Suite("The crash history")
struct CrashHistoryTests {
    private func crash(
        _ module: String?, at second: Int, digest: String = "d1", kind: String = "signal"
    ) throws -> CrashRecord {
        let frame = module.map { "pc 0x10 0x10 1 \($0)\nimage 1 2 \(digest) \($0) /store/\(digest).so" }
        let end = kind == "exit" ? "status 0" : "signal 4"
        return try #require(
            CrashRecord(
                text: "crash 1\nkind \(kind)\n\(end)\npid 1\ntime \(1_000_000_000 + second * 1_000_000)\n"
                    + "\(frame ?? "")\nend\n"))
    }

    @Test("Two crashes of a module within a minute quarantine it", arguments: [0, 8, 60])
    func quarantine(distance: Int) throws {
        var history = CrashHistory()

        let first = history.append(try crash("Clockwork", at: 0))
        let isEmptyAfterFirst = history.quarantined.isEmpty
        let second = history.append(try crash("Clockwork", at: distance))

        let words = distance == 0 ? "a second" : "\(distance) seconds"
        let quarantine = history.quarantined["Clockwork"]
        #expect(first == nil)
        #expect(isEmptyAfterFirst)
        #expect(second == "Clockwork")
        #expect(quarantine?.reason == "it crashed twice within \(words), the last time by SIGILL")
        #expect(quarantine?.since == Timestamp(microseconds: 1_000_000_000 + Int64(distance) * 1_000_000))
    }

    @Test("Crashes further apart, of different modules, or of the host quarantine no module")
    func noQuarantine() throws {
        var history = CrashHistory()

        for (module, second) in [("Clockwork", 0), ("Faulty", 1), (nil, 2), (nil, 3), ("Clockwork", 61)] {
            let quarantined = history.append(try crash(module, at: second))
            #expect(quarantined == nil)
        }

        #expect(history.quarantined.isEmpty)
        #expect(history.crashes.map(\.module) == ["Clockwork", "Faulty", nil, nil, "Clockwork"])
        let later = history.append(try crash("Faulty", at: 62))
        #expect(later == nil)
    }

    @Test("If the clock was set back, a second crash still quarantines the module")
    func clockSetBack() throws {
        var history = CrashHistory()

        history.append(try crash("Clockwork", at: 50))
        let quarantined = history.append(try crash("Clockwork", at: 10))

        #expect(quarantined == "Clockwork")
    }

    @Test("A released module is quarantined again only after two more crashes")
    func release() throws {
        var history = CrashHistory()
        history.append(try crash("Clockwork", at: 0))
        history.append(try crash("Clockwork", at: 1))

        history.release("Clockwork")

        #expect(history.quarantined.isEmpty)
        let next = try [2, 3].map { history.append(try crash("Clockwork", at: $0, kind: "exit")) }
        #expect(next == [nil, "Clockwork"])
        #expect(
            history.quarantined["Clockwork"]?.reason
                == "it crashed twice within a second, the last time by calling exit")
    }

    @Test("A quarantine names the build that crashed")
    func otherBuild() throws {
        var history = CrashHistory()
        history.append(try crash("Clockwork", at: 0))
        history.append(try crash("Clockwork", at: 1))

        #expect(history.quarantined.mapValues(\.digest) == ["Clockwork": "d1"])
    }

    @Test("Old crashes are removed; a quarantine stays")
    func pruning() throws {
        var history = CrashHistory()
        history.append(try crash("Clockwork", at: 0))
        history.append(try crash("Clockwork", at: 1))

        for index in 0..<60 { history.append(try crash("Module\(index)", at: 100_000 + index * 100)) }

        #expect(history.crashes.count == 50)
        #expect(history.crashes.first?.module == "Module10")
        #expect(Array(history.quarantined.keys) == ["Clockwork"])
        history.append(try crash(nil, at: 10_000_000))
        #expect(history.crashes.count == 1)
    }

    /// A record of a crash with additional lines.
    private func crash(running lines: String) throws -> CrashRecord {
        try #require(
            CrashRecord(text: "crash 1\nkind signal\nsignal 4\npid 1\ntime 1000000000\n\(lines)\nend\n"))
    }

    @Test("Encoding and decoding a history as JSON gives an equal one")
    func coding() throws {
        var history = CrashHistory()
        history.append(try crash("Clockwork", at: 0))
        history.append(try crash("Clockwork", at: 1))
        history.append(try crash(running: "command strike\nlink clock/1"))

        #expect(try StateCoding.decode(CrashHistory.self, from: StateCoding.encode(history)) == history)
    }

    @Test("A history written by an earlier version can be read")
    func earlierVersion() throws {
        let crash = """
            {"time":1795260130844073,"sentence":"The host crashed.","command":"strike","place":"x"}
            """
        let history = try StateCoding.decode(
            CrashHistory.self, from: #"{"crashes":[\#(crash)],"quarantined":{}}"#)

        #expect(history.crashes.map(\.sentence) == ["The host crashed."])
    }
}
