@_spi(Host) import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import AtriumCrash
@testable import AtriumModules

@Suite("Crash records")
struct CrashRecordTests {
    private let folder = TemporaryFolder()

    private static let text = """
        crash 1
        kind signal
        signal 4
        address 0x7f00000023a4
        pid 812
        time 1795260130844073
        command chimes strike
        link entities/42
        activity the automatic update of Counter
        command entities
        stack 0x7ffe00000010
        pc 0x7f10000002f9 0x2f9 3 libswiftCore.so
        call 0x7f00000023a4 0x23a4 20 Clockwork
        guess 0x560000001234 0x1234 0 atrium
        async 0x1000
        image 3 - - libswiftCore.so /opt/swift/usr/lib/libswiftCore.so
        image 20 2 d1e5 Clockwork /home/a person/modules/d1e5.so
        image 0 - - atrium /usr/bin/atrium
        end

        """

    /// The record of a crash in Clockwork, with some lines replaced.
    private func record(_ replacements: [(String, String)] = []) throws -> CrashRecord {
        var lines = Self.text.split(separator: "\n").map(String.init)
        for (start, line) in replacements {
            lines = lines.map { $0.hasPrefix(start + " ") ? line : $0 }
        }
        return try #require(CrashRecord(text: lines.filter { !$0.isEmpty }.joined(separator: "\n")))
    }

    @Test("A record of the signal handler is parsed, also an older one, with links of commands")
    func reading() throws {
        let record = try record()

        #expect(record.kind == .signal)
        #expect(record.signal == 4)
        #expect(record.address == 0x7F00_0000_23A4)
        #expect(record.stackPointer == 0x7FFE_0000_0010)
        #expect(record.process == 812)
        #expect(record.time == Timestamp(microseconds: 1_795_260_130_844_073))
        #expect(
            record.commands == [
                CrashRecord.Command(text: "chimes strike"), CrashRecord.Command(text: "entities"),
            ])
        #expect(record.activities == ["the automatic update of Counter"])
        #expect(record.frames.map(\.kind) == [.counter, .call, .guess, .waiting])
        #expect(record.frames.map(\.offset) == [0x2F9, 0x23A4, 0x1234, nil])
        #expect(record.frames.map(\.image) == [3, 20, 0, nil])
    }

    @Test("The module is that of the first frame in any module; its path may contain spaces")
    func module() throws {
        let module = try #require(try record().module)

        #expect(module.name == "Clockwork")
        #expect(module.generation == 2)
        #expect(module.digest == "d1e5")
        #expect(module.path == "/home/a person/modules/d1e5.so")
        #expect(try record([("image 20", "image 20 - - libc.so.6 /lib/libc.so.6")]).module == nil)
    }

    @Test("A truncated record is parsed as far as it goes; without its time it is nil")
    func brokenOff() throws {
        let text = Array(Self.text.utf8)
        let lines = Self.text.split(separator: "\n")
        let essential = lines.prefix { !$0.hasPrefix("time") }.reduce(0) { $0 + $1.utf8.count + 1 }
        let needed = essential + "time 1".utf8.count

        for length in 0..<text.count - 1 {
            let record = CrashRecord(text: String(decoding: text[..<length], as: UTF8.self))

            try #require((record != nil) == (length >= needed), "\(length)")
        }
    }

    @Test("Unknown and malformed lines are ignored")
    func nonsense() throws {
        let record = try record([
            ("stack", "stack over"), ("end", "color blue"), ("guess", "guess what"),
            ("image 0", "image zero"),
        ])

        #expect(record.stackPointer == nil)
        #expect(record.frames.map(\.kind) == [.counter, .call, .waiting])
        #expect(record.images.map(\.number) == [3, 20])
        #expect(CrashRecord(text: "crash 2\n" + Self.text.dropFirst(8)) == nil)
        #expect(CrashRecord(text: "") == nil)
    }

    @Test("A record is read and removed once")
    func taking() throws {
        folder.write(Self.text.utf8, to: "crash")

        #expect(try CrashRecord.read(folder.path("crash"))?.process == 812)
        CrashRecord.remove(folder.path("crash"))
        #expect(try CrashRecord.read(folder.path("crash")) == nil)
        #expect(folder.names().isEmpty)
    }

    @Test("A crash is described by module, signal, function and running commands")
    func sentences() throws {
        var named = try record().frames
        named[0].symbol = "_assertionFailure"
        named[1].symbol = "ChimesView.actions"
        var trap = try record()
        trap.frames = named
        let exit = try record([("kind", "kind exit"), ("signal", "status 3")])
        let hang = try record([("kind", "kind hang"), ("signal", "signal 6")])
        let overflow = try record([("signal", "signal 11"), ("address", "address 0x7ffdfffffff8")])
        let update = try record([("command", "")])
        let attached = try record([("command", "command entities\nscene watcher")])

        #expect(
            trap.sentence
                == "Module 'Clockwork' (generation 2) crashed: SIGILL (a trap, as after 'Fatal error'), "
                + "while 'chimes strike' and 'entities' ran. Function: ChimesView.actions")
        #expect(
            exit.sentence
                == "Module 'Clockwork' (generation 2) ended the process with exit(3), "
                + "while 'chimes strike' and 'entities' ran."
        )
        #expect(
            hang.sentence
                == "Module 'Clockwork' (generation 2) did not respond and was stopped, "
                + "while 'chimes strike' and 'entities' ran.")
        #expect(
            overflow.sentence
                == "Module 'Clockwork' (generation 2) crashed: SIGSEGV (the stack overflowed, as by endless "
                + "recursion), while 'chimes strike' and 'entities' ran.")
        #expect(attached.sentence.contains(", while 'entities' in scene 'watcher' and"))
        #expect(update.sentence.hasSuffix("'Fatal error'), during the automatic update of Counter."))
    }

    @Test("A crash without a record of the handler is described by its exit status or signal")
    func withoutRecord() {
        let time = Timestamp(microseconds: 0)
        let killed = CrashRecord(
            process: 1, signal: 9, status: nil, time: time, commands: [.init(text: "entities")])
        let rare = CrashRecord(process: 1, signal: 40, status: nil, time: time)
        let left = CrashRecord(process: 1, signal: nil, status: 0, time: time)

        #expect(killed.kind == .killed)
        #expect(killed.sentence == "The host was ended from outside by SIGKILL, while 'entities' ran.")
        #expect(rare.sentence == "The host crashed: signal 40.")
        #expect(left.sentence == "The host ended the process with exit(0).")
        #expect(CrashNotice(killed, hint: "crashes").hint == "crashes")
        #expect(CrashNotice(killed).code == "crashed")
    }

    @Test("Random damage never crashes the parser")
    func damaged() {
        var generator = SeededGenerator(seed: 7)
        let text = Array(Self.text.utf8)
        for _ in 0..<2000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
                    .random(in: 0...255, using: &generator)
            }
            let record = CrashRecord(text: String(decoding: bytes, as: UTF8.self))
            _ = record?.sentence
            _ = record?.module
        }
    }
}
