@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumNavigation
import Glibc
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumMCP
@testable import AtriumSession
@testable import AtriumText

/// An action that waits for its screen is not done, and no front end reports it as done.
///
/// Attached front ends are in `Tests/Serving/serving.py`.
@Suite("A deferred action at every front end")
@MainActor
struct DeferredActionTests {
    private let shop: TestHost
    private let log = ArchiveLog()
    private let printed = Printed()

    /// Opens the archive, and then makes its guard refuse.
    init() async throws {
        shop = try TestHost()
        try shop.addArchive(log)
        log.isMember = true
        _ = try await shop.output("open archive")
        log.isMember = false
        shop.coordinator.invalidateGuardResults()
    }

    private var isNoted: Bool { log.lines.contains("note a") }

    private func runner(isJSON: Bool = false) -> LineRunner {
        // The host ignores it too: a program may stop reading at any time.
        signal(SIGPIPE, SIG_IGN)
        let output = OutputStream(name: "The output") { [printed] bytes in
            printed.text += String(decoding: bytes, as: UTF8.self)
            return nil
        }
        return LineRunner(
            shop.scene, FrontEndDescription { $0.isJSON = isJSON },
            LineRunner.Streams(output: output, errors: output, errorWidth: nil),
            viewport: ViewportFeed(shop.scene.viewport, option: nil) { nil })
    }

    private func run(_ line: String, in runner: LineRunner) async throws -> LineRunner.Outcome {
        let outcome = try await runner.run(runner.commands(in: .success(line)), of: line)
        await runner.settleBackground()
        try runner.output.flush()
        return outcome
    }

    @Test("A script continues, its line says so, and it ends with the exit code 4", arguments: [false, true])
    func script(_ isJSON: Bool) async throws {
        let runner = runner(isJSON: isJSON)

        let outcome = try await run("note a", in: runner)

        #expect(outcome.status == .done && outcome.isDeferred)
        #expect(printed.text.contains(isJSON ? #""ok":false,"error":{"code":"deferred""# : "Members only."))
        #expect(try runner.end() == .refused)
        #expect(!isNoted)
    }

    @Test(
        "A script that does what the guard asks for has done it",
        arguments: ["note a; join", "note a\njoin"])
    func continued(_ lines: String) async throws {
        let runner = runner(isJSON: true)

        let outcome = try await run(lines, in: runner)

        #expect(outcome.status == .done && !outcome.isDeferred)
        #expect(try runner.end() == .done)
        #expect(isNoted)
    }

    @Test("One whose result goes to a file, or that runs in the background, is refused at once")
    func elsewhere() async throws {
        let folder = TemporaryFolder()
        let file = folder.path("notes")
        for line in ["note a > '\(file)'", "repeat 2 note a > '\(file)'", "note a &"] {
            let runner = runner()
            _ = try await shop.output("root")
            log.isMember = true
            _ = try await shop.output("open archive")
            log.isMember = false
            shop.coordinator.invalidateGuardResults()

            let outcome = try await run(line, in: runner)

            #expect(!outcome.isDeferred, "\(line)")
            let left = try runner.end()
            #expect((outcome.status == .done ? left : outcome.status) == .refused, "\(line)")
        }
        #expect(folder.names().isEmpty)
        #expect(!isNoted)
    }

    @Test("A call of the Model Context Protocol is an error with the screen that is shown instead")
    func call() async throws {
        let error = try await failure(of: "archive_note", ["text": "a"], in: program())

        #expect(error?["code"] == "deferred")
        #expect(error?["message"] == "'note' is not done yet: Members only.")
        #expect(error?["hint"] == "Do what 'door' asks for; 'note' continues then.")
        #expect(error?["details"]?["title"] == "Door")
        #expect(!isNoted)
    }

    private func program() -> MCPSession {
        MCPSession(shop.scene, permission: .changes, send: { _ in }, drained: {}, didEnd: { _ in })
    }

    private func failure(
        of tool: String, _ arguments: JSONObject = [:], in session: MCPSession
    ) async throws -> JSONValue? {
        let call: JSONObject = ["name": .string(tool), "arguments": .object(arguments)]
        let json = try LocatedJSON(parsing: Array(JSONValue.object(call).serialized.utf8))
        let answer = try await session.call(RPCParameters(json))
        #expect(answer["isError"] == true)
        return answer["structuredContent"]?["error"]
    }

    // MARK: - Failing later

    @Test("If it fails, the error of the call says that the call succeeded")
    func failsAfterCall() async throws {
        let session = program()
        _ = try await failure(of: "archive_fail", in: session)

        let error = try await failure(of: "door_join", in: session)

        #expect(error?["code"] == "notPerformed")
        #expect(error?["message"] == "'door_join' succeeded. 'fail' was not done: There is none left.")
        #expect(log.isMember)
    }

    @Test("If a call leaves its screen, the error says that the call succeeded, and how to repeat the action")
    func leftByCall() async throws {
        let session = program()
        _ = try await failure(of: "archive_note", ["text": "a"], in: session)

        let error = try await failure(of: "host_root", in: session)

        #expect(error?["code"] == "notPerformed")
        #expect(error?["message"] == "'host_root' succeeded. 'note' was not done: Members only.")
        #expect(error?["hint"] == "Do what 'door' asks for, then call 'archive_note' again.")
        #expect(shop.stack.isEmpty && !isNoted)
    }

    @Test("If it fails, a script prints the previous command's result, and then the error")
    func failsInScript() async throws {
        let runner = runner(isJSON: true)

        let outcome = try await run("fail; join", in: runner)

        #expect(outcome.status == .failed)
        let lines = printed.text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1].hasPrefix(#"{"command":"join","ok":true"#))
        #expect(lines[2].contains(#""code":"notPerformed","message":"'fail' was"#))
    }

    @Test(
        "If it fails, and the result before it went to a file, the error says what was done",
        arguments: [false, true])
    func failsAfterFile(_ isSourced: Bool) async throws {
        let folder = TemporaryFolder()
        let script = folder.write("join\n".utf8, to: "script")
        let runner = runner()
        _ = try await run("fail", in: runner)

        let command = isSourced ? "source '\(script)'" : "join"
        let outcome = try await run("\(command) > '\(folder.path("out"))'", in: runner)

        #expect(outcome.status == .failed)
        #expect(printed.text.contains("error: 'join' succeeded. 'fail' was not done: There is none left."))
        #expect(log.isMember)
    }

    @Test("If it and the program that reads the result fail, both errors name what was done")
    func failsBeforeProgram() async throws {
        let runner = runner()
        _ = try await run("fail", in: runner)

        let outcome = try await run("join | false", in: runner)

        #expect(outcome.status == .failed)
        #expect(printed.text.contains("error: 'join' succeeded. 'fail' was not done: There is none left."))
        #expect(printed.text.contains("error: 'join' succeeded. The program 'false' ended with status 1."))
        #expect(!printed.text.contains("The command itself was not done."))
    }

    @Test("If the output fails after it is done, the error names it and the previous command")
    func outputFails() async throws {
        let runner = runner()
        _ = try await run("note a", in: runner)

        let outcome = try await run("join > /dev/full", in: runner)

        #expect(outcome.status == .failed)
        #expect(printed.text.contains("error: 'join' and 'note' succeeded. '/dev/full' can't be written"))
        #expect(isNoted)
    }

    @Test("If it fails, a test's prompt says what was done")
    func failsInPrompt() async throws {
        let prompt = Prompt(shop.scene)
        _ = await #expect(throws: ShellError.self) { try await prompt.run("fail") }

        let error = await #expect(throws: ShellError.self) { try await prompt.run("join") }

        #expect(error?.code == "notPerformed")
        #expect(error?.message.hasPrefix("'join' succeeded. ") == true)
    }

    @Test("A test's prompt throws it, unless the same line does what the guard asks for")
    func prompt() async throws {
        let prompt = Prompt(shop.scene)

        let error = await #expect(throws: ShellError.self) { try await prompt.run("note a") }

        #expect(error?.code == "deferred")
        #expect(!isNoted)
        _ = try await prompt.run("join")
        #expect(isNoted)
    }

    @Test("It is not a result that a variable refers to")
    func variable() async throws {
        _ = try await shop.output("let x = note a")

        #expect(try await shop.failure("items $x.title")?.code == "unsetVariable")
    }
}

@MainActor
private final class Printed {
    var text = ""
}
