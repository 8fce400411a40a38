@_spi(Host) import AtriumKit
import AtriumNavigation
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("Commands with guarded screens")
@MainActor
struct RedirectCommandTests {
    private let shop: TestHost
    private let log = ArchiveLog()

    init() throws {
        shop = try TestHost()
        try shop.addArchive(log)
    }

    /// Returns how often the guard was called since the last time.
    private func takeQuestions() -> Int {
        defer { log.lines = [] }
        return log.lines.filter { $0 == "archive?" }.count
    }

    /// Opens the archive, and then makes its guard refuse.
    private func beShutOut() async throws {
        log.isMember = true
        _ = try await shop.output("open archive")
        log.isMember = false
        shop.coordinator.invalidateGuardResults()
        log.lines = []
    }

    @Test("Each way to a screen calls its guard once, whether or not the guard allows it")
    func once() async throws {
        shop.interpreter.canAsk = true
        for (isMember, title) in [(false, "Door"), (true, "Archive")] {
            log.isMember = isMember
            for line in ["archive", "open archive"] {
                #expect(try await shop.output(line).content?.json["title"] == .string(title))
                #expect(takeQuestions() == 1, "\(line), \(isMember)")
            }
            _ = try await shop.output("root")
        }
        _ = try await shop.failure("archive note a")
        #expect(takeQuestions() == 1)
    }

    @Test("The preview of a screen with a redirect shows the redirect's target, and does not navigate")
    func look() async throws {
        shop.interpreter.canAsk = true
        let output = try await shop.output("archive")

        #expect(output.message == "Members only.")
        #expect(output.json["title"] == "Door")
        #expect(output.json["link"] == "door")
        #expect(shop.stack.isEmpty)
    }

    @Test("In a script, the preview of a screen with a redirect is refused, as an action of the screen is")
    func script() async throws {
        for line in ["archive", "archive note a"] {
            let error = try await shop.failure(line)

            #expect(error?.message.hasPrefix("'archive' was refused by guard") == true)
            #expect(error.map { ExitStatus($0) } == .refused)
        }
        #expect(shop.stack.isEmpty)
        #expect(try await shop.output("open archive").json["link"] == "door")
    }

    @Test("An action that a guard held back is performed once, after its screen is reached, and reported")
    func keptBack() async throws {
        try await beShutOut()

        let refused = try await shop.output("note 'a b'")
        #expect(refused.message == "Members only. You will continue to 'archive'.")
        #expect(shop.stack == ["archive", "door"])

        let output = try await shop.output("join")
        #expect(
            output.message == """
                Joined.
                Continued to 'archive'.
                Now running 'note', as typed before.
                Noted.
                """)
        #expect(output.content?.json["title"] == "Archive")
        #expect(log.lines.filter { $0 == "note a b" }.count == 1)

        try await beShutOut()
        _ = try await shop.output("actions")
        _ = try await shop.output("join")
        #expect(!log.lines.contains("note a b"))
    }

    @Test("The result of a deferred action is stored in the variable of its 'let'")
    func variable() async throws {
        try await beShutOut()
        _ = try await shop.output("let x = note a")
        #expect(try await shop.failure("assert $x.title == Archive") != nil)

        _ = try await shop.output("join")

        _ = try await shop.output("assert $x.title == Archive")
    }

    @Test("The result of a deferred action does not replace a newer one in its variable")
    func olderVariable() async throws {
        try await beShutOut()
        _ = try await shop.output("let x = note a")
        _ = try await shop.output("let x = items/42")

        _ = try await shop.output("join")

        #expect(log.lines.contains("note a"))
        _ = try await shop.output("assert $x.id == 42")
    }

    @Test(
        "A held-back action that destroys, navigates, asks or takes a secret has to be typed again",
        arguments: [("burn", "burn"), ("ask", "ask"), ("wander", "wander"), ("unlock 1234", "unlock")])
    func typedAgain(_ line: String, _ name: String) async throws {
        try await beShutOut()
        _ = try await shop.output(line)

        let output = try await shop.output("join")

        #expect(output.message?.hasSuffix("'\(name)' was not done; type it again.") == true)
        #expect(log.lines.allSatisfy { $0 == "archive?" || $0 == "load" })
    }

    @Test(
        "The error of a held-back action is reported, and its screen is shown nevertheless",
        arguments: [
            ("fail", "There is none left."),
            ("crash", "An unexpected error of type 'PlainFailure' occurred."),
        ])
    func failsThen(_ name: String, _ reason: String) async throws {
        try await beShutOut()
        _ = try await shop.output(name)

        let output = try await shop.output("join")

        #expect(output.message?.hasSuffix("'\(name)' was not done: \(reason)") == true)
        #expect(output.content?.json["title"] == "Archive")
    }

    @Test("A word that is no action of a guarded screen is an error, and redirects nowhere")
    func unknown() async throws {
        try await beShutOut()

        let error = try await shop.failure("noet a")

        #expect(error?.code == .unknownCommand)
        #expect(error?.hint == "Did you mean 'note'?")
        #expect(shop.stack == ["archive"])
    }

    @Test("A held-back command is dropped if the redirect is left another way")
    func forgotten() async throws {

        try await beShutOut()
        _ = try await shop.output("note a")
        _ = try await shop.output("root")
        _ = try await shop.output("open archive")
        #expect(try await shop.output("join").message == "Joined.\nContinued to 'archive'.")
        #expect(!log.lines.contains("note a"))
    }
}
