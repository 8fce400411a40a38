@_spi(Host) import AtriumKit
import AtriumStorage
import Glibc
import TestSupport
import Testing

@testable import AtriumCrash
@testable import AtriumLibraries
@testable import AtriumModules

@Suite("Starts that failed")
struct FailedStartTests {
    private let registering = CrashRecord.Step(module: "Prices", digest: "d1", phrase: "it registered")

    private func file(_ lines: String...) -> String {
        lines.joined(separator: "\n") + String(repeating: "\n", count: 100)
    }

    /// A record of kind `hang` or `fork` as the handler writes it in a start.
    private func record(_ kind: String) throws -> CrashRecord {
        try #require(
            CrashRecord(
                text: """
                    crash 1
                    kind \(kind)
                    pid 7
                    time 1000000000
                    start
                    seconds 10
                    step it registered
                    module Prices
                    digest d1
                    end
                    """))
    }

    @Test("A start that ended within a step of a module is read with the step")
    func step() {
        let failure = StartJournal.Failure(
            text: file("starting 7", "failures 1", "step it registered", "module Prices", "digest d1"))

        #expect(failure?.process == 7)
        #expect(failure?.count == 2)
        #expect(failure?.step == registering)
        #expect(failure?.lastStep == nil)
    }

    @Test("A start that ended between the steps is read with the last step")
    func lastStep() throws {
        let failure = StartJournal.Failure(
            text: file("starting 7", "failures 1", "after it registered", "module Prices", "digest d1"))

        #expect(failure?.step == nil)
        #expect(failure?.lastStep == registering)
        let notice = CrashNotice(try #require(failure))
        #expect(
            notice?.message
                == "The last 2 starts of the host did not get to their end. What ran last was module 'Prices', "
                + "when it registered.")
        #expect(
            notice?.hint
                == "'atrium --safe' starts without modules, 'atrium --without Prices' without that one.")
    }

    @Test(
        "A start that got ready, and a file with other contents, are no failed start",
        arguments: [
            "", "\n\n", "started 7\n", "starting\nfailures 0\n", "starting 7\n", "starting x\nfailures 0\n",
            "starting 7\nfailures -1\n", "starting 7\nfailures 99999999999999999999\n", "\u{0}\u{1}[[[[",
        ])
    func none(_ text: String) {
        #expect(StartJournal.Failure(text: text) == nil)
    }

    @Test("One failed start is not worth a notice of its own")
    func once() throws {
        let failure = try #require(StartJournal.Failure(text: file("starting 7", "failures 0")))

        #expect(failure.count == 1)
        #expect(CrashNotice(failure) == nil)
    }

    @Test("An end that left no record is known by its step; without one nothing is known")
    func complete() throws {
        let inStep = StartJournal.Failure(process: 7, count: 1, step: registering, lastStep: nil)
        let elsewhere = StartJournal.Failure(process: 7, count: 1, step: nil, lastStep: registering)

        let lost = try #require(inStep.complete(nil))

        #expect(lost.sentence == "The start before this one ended in module 'Prices', while it registered.")
        #expect(lost.culprit?.name == "Prices")
        #expect(elsewhere.complete(nil) == nil)
    }

    @Test("A record of the same process is completed, one of another process is not")
    func completeRecord() {
        let failure = StartJournal.Failure(process: 7, count: 1, step: registering, lastStep: nil)
        let time = Timestamp(microseconds: 0)
        let same = CrashRecord(process: 7, signal: nil, status: 0, time: time)
        let other = CrashRecord(process: 8, signal: nil, status: 0, time: time)

        #expect(
            failure.complete(same)?.sentence
                == "Module 'Prices' ended the process with exit(0), while it registered.")
        #expect(failure.complete(other) == other)
    }

    @Test("A module that kept the host from starting, or copied its process, is quarantined at once")
    func quarantinedAtOnce() throws {
        var history = CrashHistory()
        let hang = try record("hang")
        let fork = try record("fork")

        #expect(hang.sentence == "Module 'Prices' did not finish within 10 s while it registered.")
        #expect(history.append(hang) == "Prices")
        #expect(history.quarantined["Prices"]?.reason == "it did not finish within 10 s while it registered")
        #expect(history.quarantined["Prices"]?.digest == "d1")
        history.release("Prices")
        #expect(history.append(fork) == "Prices")
        #expect(
            history.quarantined["Prices"]?.reason
                == "it copied the host's process with fork() while it registered")
    }

    /// A start that ended in a step of the module, without a record.
    private func lost(at second: Int64) -> CrashRecord {
        var record = CrashRecord(
            process: 7, signal: nil, status: nil, time: Timestamp(microseconds: second * 1_000_000))
        record.kind = .lost
        record.step = registering
        record.isInStart = true
        return record
    }

    @Test("Starts that are killed, with a good one between them, quarantine no module")
    func killed() throws {
        var history = CrashHistory()
        var trap = try record("signal")
        trap.isInStart = true

        #expect(history.append(lost(at: 0), failedStarts: 1) == nil)
        #expect(history.append(lost(at: 14), failedStarts: 1) == nil)
        #expect(history.append(trap, failedStarts: 1) == nil)
        #expect(history.append(trap, failedStarts: 1) == "Prices", "It crashed twice.")
    }

    @Test("Two starts in a row that end in a module's step quarantine it, whatever the time between them")
    func twoInARow() {
        var history = CrashHistory()

        #expect(history.append(lost(at: 0), failedStarts: 1) == nil)
        #expect(history.append(lost(at: 7_200), failedStarts: 1) == nil)
        #expect(history.append(lost(at: 14_400), failedStarts: 2) == "Prices")
        #expect(history.quarantined["Prices"]?.reason == "2 starts in a row ended while it registered")
    }

    /// A host that ended after its start, without a record.
    private func ended(
        at second: Int64, step: CrashRecord.Step? = nil, command: CrashRecord.Command? = nil,
        beside others: [CrashRecord.Command] = []
    ) -> CrashRecord {
        var record = CrashRecord(
            process: 7, signal: nil, status: nil, time: Timestamp(microseconds: second * 1_000_000),
            commands: [command].compactMap(\.self) + others)
        record.kind = .lost
        record.step = step
        return record
    }

    @Test(
        "An end without a record says what was running, and the same one twice in a row quarantines its module"
    )
    func endedTwice() {
        let strike = CrashRecord.Command(text: "chimes strike", scene: nil, module: "Clockwork")
        let host = CrashRecord.Command(text: "where", scene: nil, module: nil)
        let beginning = "The host before this one ended without a record"
        #expect(ended(at: 0).sentence == "\(beginning).")
        #expect(ended(at: 0, command: host).sentence == "\(beginning), while 'where' ran.")
        #expect(
            ended(at: 0, step: registering).sentence
                == "\(beginning) in module 'Prices', while it registered.")
        #expect(ended(at: 0, command: strike).culprit?.name == "Clockwork")

        for end in [ended(at: 0), ended(at: 0, command: host)] {
            var history = CrashHistory()
            for _ in 1...9 { #expect(history.append(end) == nil) }
        }
        var history = CrashHistory()
        #expect(history.append(ended(at: 0, command: strike)) == nil)
        #expect(history.append(ended(at: 9_000)) == nil)
        #expect(history.append(ended(at: 18_000, command: strike)) == nil, "Another end came between.")
        #expect(history.append(ended(at: 27_000, command: strike)) == "Clockwork")
        #expect(
            history.quarantined["Clockwork"]?.reason
                == "the host ended twice without a record, while 'chimes strike' ran")
    }

    @Test("Of several modules that ran before two ends without a record, the likeliest is quarantined first")
    func severalSuspects() {
        func command(_ module: String, _ text: String = "go") -> CrashRecord.Command {
            .init(text: "\(module.lowercased()) \(text)", scene: nil, module: module)
        }
        let step = CrashRecord.Step(module: "Prices", digest: nil, phrase: "its state was saved")
        var history = CrashHistory()

        let first = ended(at: 0, step: step, command: command("Alarms"), beside: [command("Chimes")])
        #expect(first.suspects.map(\.module) == ["Prices", "Chimes", "Alarms"])
        #expect(
            first.sentence
                == "The host before this one ended without a record in module 'Prices', while its state was "
                + "saved, and while 'alarms go' and 'chimes go' ran.")
        #expect(history.append(first) == nil)
        // Prices was not running again, Dials not before, Alarms ran another command.
        let second = ended(
            at: 9_000, command: command("Alarms", "stop"), beside: [command("Chimes"), command("Dials")])
        #expect(history.append(second) == "Chimes")
        #expect(history.append(ended(at: 18_000, command: command("Dials"))) == "Dials")
        #expect(history.append(ended(at: 27_000, command: command("Alarms"))) == nil)
    }

    @Test("What ran has the time at which it began")
    func times() {
        let noon = Timestamp(microseconds: 1_764_331_200_000_000)
        var command = CrashRecord.Command(text: "chimes strike", scene: "b", module: "Clockwork")
        command.since = noon
        let record = ended(at: 0, command: command)

        #expect(
            record.sentence
                == "The host before this one ended without a record, while 'chimes strike' in scene 'b' "
                + "(since \(noon)) ran.")
        #expect(record.circumstances() == ", while 'chimes strike' in scene 'b' ran")
    }

    @Test(
        "A module that twice does not end a step after the start is quarantined, whatever the time between them"
    )
    func hangsTwice() throws {
        var history = CrashHistory()
        func hang(at second: Int) throws -> CrashRecord {
            try #require(
                CrashRecord(
                    text: "crash 1\nkind hang\nsignal 6\npid 7\ntime \(second * 1_000_000)\nseconds 10\n"
                        + "phase the state of its screens was saved\n"
                        + "pc 0x10 0x10 1 Prices\nimage 1 2 d1 Prices /store/d1.so\nend\n"))
        }
        #expect(
            try hang(at: 0).event == "did not finish within 10 s while the state of its screens was saved")

        #expect(history.append(try hang(at: 0)) == nil)
        #expect(history.append(try hang(at: 9_000)) == "Prices")
        #expect(
            history.quarantined["Prices"]?.reason
                == "it did not finish within 10 s while the state of its screens was saved, twice")
    }

    @Test("What runs is noted in a file, which a clean end removes")
    func noted() async {
        await #expect(processExitsWith: .success) {
            try await FailedStartTests.noteCommands()
        }
    }

    @MainActor
    private static func noteCommands() throws {
        let folder = TemporaryFolder()
        let path = folder.path("running")
        precondition(RunningNote.begin(at: path) == nil)
        CrashHandler.begin(command: "where", in: nil, of: nil).end()
        _ = CrashHandler.begin(command: "chimes strike", in: "watcher", of: "Clockwork")
        _ = CrashHandler.begin(activity: "the update of Prices")
        let module = WatchedModule("Prices", digest: "d1")
        let former = module.perform(.snapshot) { RunningNote.begin(at: path) }
        precondition(former?.kind == .lost && former?.process == getpid())
        let command = former?.commands.first
        precondition(
            command
                == .init(
                    text: "chimes strike", scene: "watcher", module: "Clockwork",
                    since: command?.since))
        precondition(former?.commands.count == 1)
        let now = SystemClock().now().microseconds
        for since in [command?.since, former?.step?.since] {
            precondition(since.map { abs(now - $0.microseconds) < 60_000_000 } ?? false)
        }
        precondition(former?.activities == ["the update of Prices"])
        precondition(
            former?.step
                == .init(
                    module: "Prices", digest: "d1", phrase: "its state was saved", since: former?.step?.since)
        )
        // The end is noted, in case the file can't be removed: another name keeps it.
        link(path, folder.path("kept"))
        CrashHandler.willExit()
        precondition(folder.names() == ["kept"])
        rename(folder.path("kept"), path)
        precondition(RunningNote.begin(at: path) == nil)
        CrashHandler.willExit()
        precondition(folder.names() == [])
        // What is no note is none.
        folder.write("text".utf8, to: "running")
        precondition(RunningNote.begin(at: path) == nil)
    }

    @Test("The file of a start is written step by step, and taken over by the next start")
    func written() async {
        await #expect(processExitsWith: .success) {
            await FailedStartTests.writeSteps()
        }
    }

    /// In a process of its own, which has only one such file.
    @MainActor
    private static func writeSteps() {
        let folder = TemporaryFolder()
        let path = folder.path("start")
        func contents() -> String { String(decoding: (try? FileContents.read(path)) ?? [], as: UTF8.self) }
        let prices = WatchedModule("Prices", digest: "d1")

        precondition(StartJournal.begin(at: path) == nil)
        precondition(contents().hasPrefix("starting \(getpid())\nfailures 0\n\n"))
        prices.perform(.register) {
            precondition(contents().contains("step it registered\nmodule Prices\ndigest d1\n"))
        }
        precondition(StartJournal.begin(at: path)?.step?.module == "Prices")
        precondition(contents().hasPrefix("starting \(getpid())\nfailures 1\n\n"))
        StartJournal.ready()
        precondition(contents().hasPrefix("started \(getpid())\n\n"))
        precondition(StartJournal.begin(at: path) == nil)
    }
}
