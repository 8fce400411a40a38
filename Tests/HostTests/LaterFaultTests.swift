import Foundation
import Testing

/// Modules that load without errors and fail later, in an action or when they are removed.
@Suite struct LaterFaultTests {
    @Test(
        "If a module ends the host in an action, it is named, and the next start restores stack and modules",
        arguments: ["traps-in-action", "exits-in-action"].map(FixtureModule.init))
    func dies(_ fixture: FixtureModule) throws {
        let site = try HostSite()
        let good = try FixtureModule.plain.library()
        let host = try start(fixture, in: site)

        try host.send("\(fixture.name) go")
        let run = try host.finish()
        let later = try site.run("where", "entities list", "module add '\(good.path)'", "plain")

        // A trap is SIGILL on x86-64 and SIGTRAP on aarch64; calling exit(0) counts as a failure too.
        #expect(fixture.name == "exits-in-action" ? run.status != 0 : run.status > 128, "\(run.status)")
        #expect(run.errors.contains(fixture.moduleName), "\(run.errors)")
        #expect(run.replies.isEmpty)
        #expect(later.reply(to: "where")?["link"] == "entities")
        #expect(later.reply(to: "entities")?["title"] == "Entities")
        #expect(later.reply(to: "plain")?["title"] == "Plain")
    }

    @Test(
        "Repeated Ctrl-C ends a host whose module never returns from an action, and the stack is restored",
        arguments: ["waits-in-action", "hangs-in-action"].map(FixtureModule.init))
    func neverEnds(_ fixture: FixtureModule) throws {
        let site = try HostSite()
        let host = try start(fixture, in: site)

        try host.send("\(fixture.name) go")
        try host.waitUntilBegun()
        host.interruptUntilItEnds()
        let run = try host.finish()
        let later = try site.run("where")

        #expect(run.status == 130)
        #expect(later.reply(to: "where")?["link"] == "entities")
    }

    @Test(
        "SIGTERM ends a service whose module never returns from an action, and the next start names the action"
    )
    func neverEndsServing() throws {
        let fixture = FixtureModule("hangs-in-action")
        let site = try HostSite([(fixture.moduleName, try fixture.library())])
        let service = try site.start(["--drain-timeout", "1", "serve"])
        try service.waitForError("Serving")

        let client = try site.start(["-c", "\(fixture.name) go"])
        try client.waitUntilBegun()
        kill(service.identifier, SIGTERM)
        let run = try service.finish(endsByItself: true)
        _ = try client.finish(endsByItself: true)
        let later = try site.run("where")

        #expect(run.status == 128 + SIGTERM)
        #expect(later.errors.contains("'\(fixture.name) go'"), "\(later.errors)")
    }

    @Test("An action that throws fails with that error, and the module continues to work")
    func throwsInAction() throws {
        let fixture = FixtureModule("throws-in-action")
        let site = try HostSite([(fixture.moduleName, try fixture.library())])

        let run = try site.run("open entities", "throws-in-action go", "where", "throws-in-action")

        #expect(run.replies[1].code == "fixture")
        #expect(run.replies[1].message == "The fixture throws in an action.")
        #expect(run.replies[2]["link"] == "entities")
        #expect(run.replies[3]["title"] == "Throws in its action")
        #expect(run.status == 1)
    }

    @Test("A leaked view model is reported when its screen is left")
    func leaks() throws {
        let fixture = FixtureModule("leaks-its-view-model")
        let site = try HostSite([(fixture.moduleName, try fixture.library())])

        let run = try site.run("open entities", "open leaks-its-view-model", "back", "where")

        #expect(
            run.errors.contains("LeakyViewModel outlived its screen 'leaks-its-view-model'."), "\(run.errors)"
        )
        #expect(run.reply(to: "where")?["link"] == "entities")
        #expect(run.status == 0)
    }

    @Test("A module whose deactivation does not end is removed anyway and reported")
    func deactivatesNever() throws {
        let fixture = FixtureModule("deactivates-never")
        let site = try HostSite()
        let good = try FixtureModule.plain.library()

        let run = try site.run(
            "open entities", "module add '\(try fixture.library().path)'", "deactivates-never go",
            "module remove DeactivatesNever", "where", "deactivates-never", "module add '\(good.path)'",
            "plain")

        try #require(run.replies.count == 8, "The host ended with \(run.status): \(run.errors)")
        #expect(run.replies[2]["held"] == "1")
        #expect(run.replies[3].isOK, "\(run.replies[3].text)")
        #expect((run.replies[3].text + run.errors).contains("did not end"), "\(run.replies[3].text)")
        #expect(run.replies[4]["link"] == "entities")
        #expect(!run.replies[5].isOK)
        #expect(run.replies[7]["title"] == "Plain")
    }

    /// Starts a host at `entities` and loads a fixture module.
    private func start(_ fixture: FixtureModule, in site: HostSite) throws -> HostProcess {
        let library = try fixture.library()
        let host = try site.converse()
        #expect(try host.ask("open entities").isOK)
        let added = try host.ask("module add '\(library.path)'")
        try #require(added.isOK, "\(added.text)")
        return host
    }
}
