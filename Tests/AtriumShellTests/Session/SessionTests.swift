@_spi(Host) import AtriumKit
import AtriumNavigation
import Glibc
import Testing

@testable import AtriumCommands
@testable import AtriumSession
@testable import AtriumText

/// A front end sees the same of a session in the host's process and over a socket.
@Suite("Sessions, local and remote", .timeLimit(.minutes(5)))
@MainActor
struct SessionTests {
    private static let json = FrontEndDescription { $0.isJSON = true }

    // MARK: - Lines

    @Test(
        "A line has a status, and its error a code", arguments: SessionKind.allCases,
        [
            ("items/7 text", AtriumText.ExitStatus.done, nil), ("items fail", .failed, "outOfStock"),
            ("items crash", .failed, "unexpected"), ("nosuch", .failed, "unknownCommand"),
            ("items list zero", .failed, "invalidArgument"),
            ("items sign-in ada@example.com", .failed, "missingArgument"),
            ("items/7 delete", .failed, "confirmationNeeded"),
            ("exit 7", AtriumText.ExitStatus(rawValue: 7), nil),
        ] as [(String, AtriumText.ExitStatus, String?)])
    func status(_ kind: SessionKind, _ line: (text: String, status: AtriumText.ExitStatus, code: String?))
        async throws
    {
        let bench = try await SessionBench(kind, Self.json)

        let result = try await bench.run(line.text)

        #expect(result.status == line.status)
        #expect(result.ends == line.text.hasPrefix("exit") && result.exits == result.ends)
        #expect(try bench.frontEnd.codes == [line.code])
        #expect(bench.frontEnd.events.count == 1)
    }

    @Test(
        "Results and errors are events in their order, after the line for the history",
        arguments: SessionKind.allCases)
    func events(_ kind: SessionKind) async throws {
        let bench = try await SessionBench(kind)
        let line = "items/7 text; items fail; items/7 text"

        let result = try await bench.run(line)

        #expect(result.status == .failed && !result.ends && !result.isDeferred)
        #expect(
            bench.frontEnd.events == [
                .history(line), .output("Here:\n\nA text.\n"), .error("error: There is none left.\n"),
            ])
        #expect(bench.frontEnd.begun == 1)
    }

    @Test("The prompt names the current screen", arguments: SessionKind.allCases)
    func prompt(_ kind: SessionKind) async throws {
        let bench = try await SessionBench(kind)
        #expect(bench.session.prompt.hasSuffix(" home> "))

        try await bench.run("open fair")

        #expect(bench.session.prompt.hasSuffix(" fair> "))
    }

    @Test(
        "A deferred action is not done unless a later line lets it continue",
        arguments: SessionKind.allCases, [false, true])
    func deferred(_ kind: SessionKind, _ continues: Bool) async throws {
        let bench = try await SessionBench(kind, Self.json)
        let log = ArchiveLog()
        try bench.shop.addArchive(log)
        log.isMember = true
        try await bench.run("open archive")
        log.isMember = false
        bench.scene.coordinator.invalidateGuardResults()

        let result = try await bench.run("note a")
        #expect(result.isDeferred && result.status == .done)
        if continues { #expect(try await bench.run("join").isDeferred == false) }
        bench.frontEnd.clear()

        #expect(try await bench.session.close() == (continues ? .done : .refused))
        #expect(try bench.frontEnd.codes == (continues ? [] : ["notPerformed"]))
        #expect(log.lines.contains("note a") == continues)
    }

    // MARK: - Questions

    @Test("A question is answered, or left as by Ctrl-C at the prompt", arguments: SessionKind.allCases)
    func question(_ kind: SessionKind) async throws {
        let bench = try await SessionBench(kind)
        try await bench.run("items/7 delete")
        #expect(bench.frontEnd.output.hasPrefix("Deletes it. Continue?\n"))

        bench.frontEnd.clear()
        try await bench.run("yes")
        #expect(bench.frontEnd.output.hasPrefix("Deleted.\n"))

        try await bench.run("items/7 delete")
        bench.frontEnd.clear()
        #expect(try await bench.leaveQuestion()?.status == .done)
        #expect(bench.frontEnd.output.hasPrefix("Nothing was done.\n"))
        #expect(bench.frontEnd.events.count == 1)
        #expect(try await bench.leaveQuestion() == nil)
    }

    @Test("A secret is asked for by name, and a refusal cancels the line", arguments: SessionKind.allCases)
    func secret(_ kind: SessionKind) async throws {
        let bench = try await SessionBench(kind)
        bench.frontEnd.secrets = ["Zaunkönig", "one", "two"]

        #expect(try await bench.run("items sign-in ada@example.com").status == .done)
        #expect(bench.frontEnd.events.first == .history("items sign-in ada@example.com"))
        #expect(try await bench.run("fair set-password").status == .failed)
        #expect(try await bench.run("items sign-in bea@example.com").status == .cancelled)

        #expect(
            bench.frontEnd.questions == ["password", "password", "password, again", "password"])
        #expect(
            bench.shop.log.lines.filter { $0.hasPrefix("sign-in") } == ["sign-in ada@example.com Zaunkönig"])
    }

    @Test("A variable is the front end's", arguments: SessionKind.allCases)
    func variable(_ kind: SessionKind) async throws {
        let bench = try await SessionBench(kind, Self.json)
        bench.frontEnd.variables = ["SECRET": "Zaunkönig"]
        let line = "items sign-in ada@example.com --password @env:"

        #expect(try await bench.run(line + "SECRET").status == .done)
        #expect(try await bench.run(line + "NONE").status == .failed)

        #expect(bench.frontEnd.questions == ["@env:SECRET", "@env:NONE"])
        #expect(
            bench.shop.log.lines.filter { $0.hasPrefix("sign-in") } == ["sign-in ada@example.com Zaunkönig"])
    }

    @Test("Standard input is read to its end, if the front end gives it", arguments: SessionKind.allCases)
    func input(_ kind: SessionKind) async throws {
        let hasNone = try await SessionBench(kind).scene.readInput == nil
        #expect(hasNone)
        let bench = try await SessionBench(kind, FrontEndDescription { $0.givesInput = true })
        bench.frontEnd.inputs = [[0, 255, 10], []]
        let read = try #require(bench.scene.readInput)

        #expect(try await read() == [0, 255, 10])
        #expect(try await read() == [])
        #expect(try await read() == nil)
    }

    @Test(
        "A result goes to the front end's file or program, which keeps it if the command succeeded",
        arguments: SessionKind.allCases)
    func targets(_ kind: SessionKind) async throws {
        let bench = try await SessionBench(kind)
        let rows = [
            ("items/7 text", "> out", true), ("items/7 text", ">> out", true),
            ("items/7 text", "| cat", true), ("items fail", "> out", false),
        ]

        for (command, destination, succeeds) in rows {
            let status = try await bench.run("\(command) \(destination)").status
            let target = try #require(bench.frontEnd.targets.last)
            #expect(status == (succeeds ? .done : .failed))
            #expect(target.destination == destination && target.isKept == succeeds)
            #expect(target.text == (succeeds ? "Here:\n\nA text.\n" : ""))
        }
        #expect(bench.frontEnd.output.isEmpty && bench.frontEnd.targets.count == rows.count)
    }

    @Test("A target that can't be written fails the command", arguments: SessionKind.allCases)
    func fullTarget(_ kind: SessionKind) async throws {
        let bench = try await SessionBench(kind, Self.json)
        bench.frontEnd.writeError = ENOSPC

        #expect(try await bench.run("items/7 text > out").status == .failed)

        #expect(bench.frontEnd.targets.map(\.isKept) == [false])
        #expect(try bench.frontEnd.codes == ["outputFailed"])
    }
}
