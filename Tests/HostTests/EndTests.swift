import Foundation
import Testing

/// Modules that end the host, or keep it from ending, where no other tool would say which of them it was.
@Suite("An end is always named") struct EndTests {
    private static let fixture = FixtureModule("harms-the-host")
    private static let name = "HarmsTheHost"

    /// How a module ends the host: the harm of the fixture, and what the next start says of it.
    static let ends = [
        ("action-quit", "Module 'HarmsTheHost' (generation 1) ended the process with exit(0)"),
        ("action-quick", "Module 'HarmsTheHost' (generation 1) ended the process with exit(0)"),
        ("action-quit-later", "Module 'HarmsTheHost' (generation 1) ended the process with exit(0)"),
        ("action-kill", "Module 'HarmsTheHost' (generation 1) crashed: SIGKILL"),
        ("action-term", "Module 'HarmsTheHost' (generation 1) crashed: SIGTERM"),
        ("action-recurse", "Module 'HarmsTheHost' (generation 1) crashed: SIGSEGV (the stack overflowed"),
        (
            "action-vanish",
            "The host before this one ended without a record, while 'harms-the-host go' (since 20"
        ),
        ("exit-trap", "Module 'HarmsTheHost' (generation 1) crashed: SIG"),
        ("deactivate-trap", "Module 'HarmsTheHost' (generation 1) crashed: SIG"),
    ]

    @Test(
        "The next start says how a module ended the host, and the second time quarantines it", arguments: ends
    )
    func named(_ harm: String, _ sentence: String) throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])

        for turn in 1...2 {
            let host = try site.converse(variables: ["HARM": harm])
            try host.send("open harms-the-host")
            try host.send("harms-the-host go")
            let run = try host.finish(endsByItself: harm.hasPrefix("action"))
            #expect(run.status != 0)
            #expect(turn == 1 || run.errors.contains("warning: \(sentence)"), "\(run.errors)")
        }
        let later = try site.run("modules")

        #expect(later.errors.contains("warning: \(sentence)"), "\(later.errors)")
        #expect(later.reply(to: "modules")?.state(of: Self.name) == "quarantined")
        #expect(later.reply(to: "modules")?.state(of: "Entities") == "active")
    }

    @Test("A host whose descriptors a module closed ends as crashed, instead of waiting for ever")
    func descriptors() throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])

        let host = try site.converse(variables: ["HARM": "action-close-all"])
        try host.send("harms-the-host go")
        let run = try host.finish(endsByItself: true)
        let later = try site.run("modules")

        #expect(run.status != 0)
        #expect(later.errors.contains("warning: The host crashed: SIGABRT (a call of abort)"))
    }

    @Test("A service that a module ends with SIGTERM ends in order, and the next start names the module")
    func terminatesService() throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])

        let service = try site.start(["serve"], variables: ["HARM": "action-term"])
        try service.waitForError("Serving")
        _ = try site.start(["attach", "-c", "harms-the-host go"]).finish(endsByItself: true)
        let run = try service.finish(endsByItself: true)
        let later = try site.run("where")

        #expect(
            run.errors.contains("error: Module '\(Self.name)' (generation 1) crashed by SIGTERM"),
            "\(run.errors)")
        #expect(
            later.errors.contains("warning: Module '\(Self.name)' (generation 1) crashed: SIGTERM"),
            "\(later.errors)")
    }

    @Test(
        "An action that blocks all signals and spins is named in a script, and SIGTERM ends it; so is Swift code",
        arguments: [
            ("harms-the-host go", "Module '\(name)'"), ("swift while true {}", "Code typed after 'swift'"),
        ])
    func blocksSignals(_ line: String, _ subject: String) throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])

        let host = try site.start(["--step-timeout", "1", "-c", line], variables: ["HARM": "action-block"])
        try host.waitForError("\(subject) has kept the host busy for 1 s.")
        kill(host.identifier, SIGTERM)
        let run = try host.finish(endsByItself: true)

        #expect(run.status != 0, "\(run.errors)")
    }

    @Test("Swift code that never returns is named in a host that serves, and by the next start")
    func busyCode() throws {
        let site = try HostSite()

        let service = try site.start(["--step-timeout", "1", "serve"])
        try service.waitForError("Serving")
        let client = try site.start(["attach", "-c", "swift while true {}"])
        try service.waitForError("Code typed after 'swift' has kept the host busy for 1 s.")
        for host in [client, service] { kill(host.identifier, SIGKILL) }
        let run = try service.finish(endsByItself: true)
        let later = try site.run("events")
        let events = later.replies[0].rows("rows")

        #expect(run.errors.contains("hint: kill \(service.identifier)"), "\(run.errors)")
        #expect(events.contains { ($0["detail"] as? String)?.hasPrefix("Code typed after 'swift'") == true })
        #expect(later.errors.contains("while 'swift "), "\(later.errors)")
    }

    @Test("After SIGKILL from outside nothing is quarantined, and the next start says what ran")
    func killed() throws {
        let site = try HostSite()

        for _ in 1...3 {
            let host = try site.converse()
            _ = try host.ask("open entities")
            kill(host.identifier, SIGKILL)
            _ = try host.finish()
        }
        let later = try site.run("modules")
        let again = try site.run("where")

        #expect(later.errors.contains("warning: The host before this one ended without a record.\n"))
        #expect(later.reply(to: "modules")?.state(of: "Entities") == "active")
        #expect(again.errors == "")
    }

    @Test(
        "What spins in the state or the end of a script ends it, and the second time its module is quarantined",
        arguments: [
            ("snapshot-spin", "while its state was saved"), ("deactivate-spin", "while it was stopped"),
            ("saved-spin", "while the state of its screens was saved"),
            ("decode-spin", "while the state of its screen was restored"),
            ("exit-spin", "while the host shut down"),
            ("actions-spin", "while its actions were listed"), ("guard-spin", "while its guard was asked"),
        ])
    func spins(_ harm: String, _ phrase: String) throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])
        _ = try site.run("open harms-the-host")

        for _ in 1...2 {
            let run = try site.run(
                ["go"], options: ["--step-timeout", "1"], variables: ["HARM": harm])
            #expect(run.status == 70)
            #expect(
                run.errors.contains(
                    "Module '\(Self.name)' (generation 1) did not finish within 1 s \(phrase)"),
                "\(run.errors)")
        }
        let later = try site.run("modules")

        #expect(later.reply(to: "modules")?.state(of: Self.name) == "quarantined", "\(later.errors)")
    }

    @Test("What spins in a guard or the list of actions ends a service", arguments: ["actions", "guard"])
    func spinsForOthers(_ step: String) throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])

        let service = try site.start(["--step-timeout", "1", "serve"], variables: ["HARM": "\(step)-spin"])
        try service.waitForError("Serving")
        _ = try site.start(["attach", "-c", "harms-the-host go"]).finish(endsByItself: true)
        let run = try service.finish(endsByItself: true)
        let later = try site.run("where")

        #expect(run.status == 70, "\(run.errors)")
        #expect(
            later.errors.contains(
                "warning: Module '\(Self.name)' (generation 1) did not finish within 1 s while its"),
            "\(later.errors)")
    }

    @Test("A guard that never answers refuses its screen, and the script goes on")
    func silentGuard() throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])

        let run = try site.run(
            ["harms-the-host go", "open harms-the-host", "where"], options: ["--step-timeout", "1"],
            variables: ["HARM": "guard-wait"])

        try #require(run.replies.count == 3, "\(run.errors)")
        for reply in run.replies.dropLast() {
            #expect(reply.code == "refused", "\(reply.text)")
            #expect(
                reply.message
                    == "'harms-the-host' was refused because guard 'harmless' of module '\(Self.name)' failed: "
                    + "Its check did not end within 1 s.", "\(reply.text)")
        }
        #expect(run.replies[2]["link"] == "home", "\(run.replies[2].text)")
    }

    @Test("One Ctrl-C ends the wait for a guard")
    func interruptedGuard() throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])

        let host = try site.start(
            ["--step-timeout", "600", "-c", "harms-the-host go"], variables: ["HARM": "guard-wait"])
        try host.waitUntilBegun()
        host.interrupt()
        let run = try host.finish(endsByItself: true)

        #expect(run.status == 130, "\(run.errors)")
    }

    @Test("A module that spins while its state is restored is left out of a script, which goes on")
    func restoreSpins() throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])
        _ = try site.run("open harms-the-host")

        let run = try site.run(
            ["where"], options: ["--step-timeout", "1"], variables: ["HARM": "restore-spin"])

        #expect(run.status == 0)
        #expect(
            run.errors.contains(
                "Module '\(Self.name)' is not active: it did not finish within 1 s while its state was restored."
            ),
            "\(run.errors)")
        #expect(run.reply(to: "where") != nil)
    }

    @Test(
        "What spins while a service ends, ends it with a record, which the next service says at once",
        arguments: ["snapshot-spin", "deactivate-spin", "exit-spin"])
    func spinsInService(_ harm: String) throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])

        let service = try site.start(["--step-timeout", "1", "serve"], variables: ["HARM": harm])
        try service.waitForError("Serving")
        kill(service.identifier, SIGTERM)
        let run = try service.finish(endsByItself: true)
        let next = try site.start(["serve"])
        try next.waitForError("Serving")
        kill(next.identifier, SIGTERM)
        let later = try next.finish(endsByItself: true)

        #expect(run.status == 70, "\(run.errors)")
        #expect(later.errors.contains("warning: Module '\(Self.name)'"), "\(later.errors)")
        #expect(later.status == 0, "\(later.errors)")
    }

    @Test(
        "So does what spins while a service keeps or restores a scene",
        arguments: [
            ("saved-spin", "while the state of its screens was saved"),
            ("decode-spin", "while the state of its screen was restored"),
        ])
    func spinsInScene(_ harm: String, _ phrase: String) throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])
        let attach = ["attach", "--scene", "desk", "-c"]
        let before = try site.start(["serve"])
        try before.waitForError("Serving")
        let client = try site.start(attach + ["open harms-the-host"]).finish(endsByItself: true)
        kill(before.identifier, SIGTERM)
        _ = try before.finish(endsByItself: true)
        #expect(client.status == 0, "\(client.errors)")

        let service = try site.start(["--step-timeout", "1", "serve"], variables: ["HARM": harm])
        try service.waitForError("Serving")
        _ = try site.start(attach + ["go"]).finish(endsByItself: true)
        kill(service.identifier, SIGTERM)
        let run = try service.finish(endsByItself: true)
        let later = try site.run("where")

        #expect(run.status == 70, "\(run.errors)")
        #expect(
            later.errors.contains("Module '\(Self.name)' (generation 1) did not finish within 1 s \(phrase)"),
            "\(run.errors)\(later.errors)")
    }

    @Test("A module that spins while its state is restored is left out of a service, which serves")
    func restoreSpinsInService() throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])
        _ = try site.run("open harms-the-host")

        let service = try site.start(["--step-timeout", "1", "serve"], variables: ["HARM": "restore-spin"])
        try service.waitForError("Serving")
        let client = try site.start(["attach", "-c", "modules"]).finish(endsByItself: true)
        kill(service.identifier, SIGTERM)
        let run = try service.finish(endsByItself: true)

        let modules = client.reply(to: "modules")
        #expect(modules?.state(of: Self.name) == "quarantined" && modules?.state(of: "Entities") == "active")
        #expect(modules?.text.contains("it did not finish within 1 s while its state was restored.") == true)
        #expect(run.status == 0)
    }

    @Test("State that could not be read again is refused, and the next start has the former one")
    func large() throws {
        let site = try HostSite([(Self.name, try Self.fixture.library())])
        _ = try site.run("open harms-the-host")

        let run = try site.run(["go", "where"], variables: ["LENGTH": "17000000"])
        let later = try site.run("where")

        #expect(
            run.errors.contains(
                "The state of module '\(Self.name)' 1.0.0 can't be kept: field 'text' makes it too large to "
                    + "restore."), "\(run.errors)")
        #expect(later.errors == "")
        #expect(later.reply(to: "where")?["link"] == "harms-the-host")
    }
}
