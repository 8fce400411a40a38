import Foundation
import Testing

/// Updates a module of a running host repeatedly while commands use it without pause.
///
/// `make soak` makes 2,000 updates; the default is 60, enough to detect what fails or leaks every time.
@Suite struct SoakTests {
    private static let isLong = ProcessInfo.processInfo.environment["ATRIUM_SOAK"] != nil
    private static let updatesByCommand = isLong ? 1_600 : 45
    private static let updatesByWatching = isLong ? 400 : 15
    /// The memory that may remain of a generation besides its image, in bytes.
    ///
    /// 11 KB were measured: 6.4 for metadata of generic types, which the Swift runtime never frees, 2.2 for
    /// the loader, 1.3 for slots. In a short run, timers that have not fired yet are included: up to 22 KB beside
    /// a build on both processors.
    private static let bound = (isLong ? 20 : 28) * 1024

    /// The commands that are repeated.
    private static let commands = ["soak increment", "soak", "soak linger 30", "soak increment"]
    private static let commandsUnderWay = 64

    private let folder: TemporaryFolder
    private let subject: SoakSubject
    private let host: HostProcess
    private let site: HostSite

    init() throws {
        folder = try TemporaryFolder()
        subject = try SoakSubject(in: folder.url)
        site = try HostSite([("Soak", subject.file)])
        host = try site.converse(seconds: Self.isLong ? 1_200 : 60)
    }

    @Test("No command fails or mixes generations, no state is lost, and only the images remain in memory")
    func soak() throws {
        var record = SoakRecord()
        // With both: what many commands at once need stays with the heap, and is no generation's.
        try updateByCommand(Self.updatesByCommand / 3, &record)
        try updateByWatching(Self.updatesByWatching / 3, &record)
        let before = try memoryAtRest()
        let first = subject.build

        try updateByCommand(Self.updatesByCommand * 2 / 3, &record)
        try updateByWatching(Self.updatesByWatching * 2 / 3, &record)
        let after = try memoryAtRest()
        let count = try host.ask("soak")
        let module = try host.ask("module Soak")
        let run = try host.finish()

        let generations = subject.build - first
        let own = (after.own - before.own) / generations
        let ofFiles = (after.ofFiles - before.ofFiles) / generations
        report(record, own: own, ofFiles: ofFiles)
        #expect(record.problems.isEmpty, "\(record.problems)")
        #expect(count["count"] == "\(record.increments)")
        #expect(module.generations("draining") <= 1, "\(module.text)")
        // Now and then the host touches pages of its own libraries for the first time.
        #expect(ofFiles <= subject.constantBytes + 4096)
        #expect(own <= subject.writtenBytes + Self.bound)
        #expect(run.status == 0, "\(run.errors)")
    }

    // MARK: - Steps

    /// The memory of the host once the commands on retired generations have ended: on a loaded machine those
    /// of several generations still run.
    private func memoryAtRest() throws -> ProcessMemory {
        for _ in 0..<1_000 {
            if try host.ask("module Soak").generations("draining") <= 1 { break }
        }
        return try ProcessMemory(of: host.identifier)
    }

    /// Updates by command.
    ///
    /// The next update is sent before the commands after the previous one have ended.
    private func updateByCommand(_ count: Int, _ record: inout SoakRecord) throws {
        for _ in 0..<count {
            try subject.installNext()
            try host.send((["module update Soak"] + Self.commands).joined(separator: "\n"))
            var reply: HostReply
            repeat {
                reply = try host.nextReply()
                record.take(reply)
                try #require(record.problems.isEmpty, "\(record.problems)")
            } while !reply.command.hasPrefix("module update")
        }
        for _ in Self.commands { record.take(try host.nextReply()) }
        #expect(record.build == subject.build, "\(record.problems)")
    }

    /// Updates by replacing the file, each time as soon as the current build has replied.
    private func updateByWatching(_ count: Int, _ record: inout SoakRecord) throws {
        record.take(try host.ask("module update --watch on"))
        let last = subject.build + count
        var underWay = 0
        var number = 0
        try subject.installNext()
        while record.build < last || underWay > 0 {
            while record.build < last, underWay < Self.commandsUnderWay {
                try host.send(Self.commands[number % Self.commands.count])
                number += 1
                underWay += 1
            }
            let isFirst = record.take(try host.nextReply())
            underWay -= 1
            try #require(record.problems.isEmpty, "\(record.problems)")
            if isFirst, subject.build < last { try subject.installNext() }
            // If updates stop, the host would reply forever.
            try #require(number < 50_000 * count, "No update since build \(record.build).")
        }
        record.take(try host.ask("module update --watch off"))
    }

    private func report(_ record: SoakRecord, own: Int, ofFiles: Int) {
        print(
            """
            Soak: \(subject.build + 1) generations, \(record.replies) replies, \(record.increments) increments. \
            Each generation takes \(ofFiles / 1024) KB of its file (of \(subject.constantBytes / 1024)) \
            and \(own / 1024) KB of its own (\(subject.writtenBytes / 1024) of them are its image's data).
            """)
    }
}

extension HostReply {
    /// The number of generations in a state, in the reply to `module NAME`.
    fileprivate func generations(_ state: String) -> Int {
        rows("generations").count { $0["state"] as? String == state }
    }
}

/// A folder that is removed when this object is released.
private final class TemporaryFolder {
    let url: URL

    init() throws {
        url = try Project.temporaryFolder()
    }

    deinit {
        Project.remove(url)
    }
}
