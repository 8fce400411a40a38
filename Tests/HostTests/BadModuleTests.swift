import Foundation
import Testing

/// Gives the built host each bad fixture module: by a command while it runs, and in `modules.json`.
@Suite struct BadModuleTests {
    @Test(
        "A bad module is refused with the reason, the stack stays, and a good module then loads",
        arguments: Refusal.all)
    func added(_ refusal: Refusal) throws {
        let site = try HostSite(refusal.companion.map { [($0, nil)] } ?? [])
        let bad = try refusal.fixture.library()
        let good = try FixtureModule.plain.library()

        let run = try site.run(
            "open entities", "module add '\(bad.path)'", "where", "modules", "module add '\(good.path)'",
            "plain", "entities list")
        let later = try site.run("where")

        try #require(run.replies.count == 7, "The host ended with \(run.status): \(run.errors)")
        let added = run.replies[1]
        #expect(!added.isOK)
        #expect(added.code == refusal.code, "\(added.text)")
        for words in refusal.words { #expect(added.message.contains(words), "\(added.text)") }
        #expect(run.replies[2]["link"] == "entities", "\(run.replies[2].text)")
        #expect(run.replies[3].state(of: refusal.fixture.moduleName) != "active")
        #expect(run.replies[3].state(of: "Entities") == "active")
        #expect(run.replies[4].isOK, "\(run.replies[4].text)")
        #expect(run.replies[5]["title"] == "Plain", "\(run.replies[5].text)")
        #expect(run.replies[6]["title"] == "Entities", "\(run.replies[6].text)")
        #expect(run.status == 3)
        #expect(later.reply(to: "where")?["link"] == "entities")
    }

    @Test(
        "A bad module in modules.json is reported with the reason, and other modules work",
        arguments: Refusal.unread + Refusal.thrown + Refusal.unbuildable + Refusal.deadlyKinds)
    func configured(_ refusal: Refusal) throws {
        let companion = refusal.companion.map { [($0, nil as URL?)] } ?? []
        let bad = try refusal.fixture.library()
        let good = try FixtureModule.plain.library()
        let name = refusal.fixture.moduleName
        let site = try HostSite(companion + [(name, bad), ("Plain", good)])

        let run = try site.run("open entities", "modules", "plain")

        try #require(run.replies.count == 3, "The host ended with \(run.status): \(run.errors)")
        #expect(run.errors.contains("Module '\(name)' is not active"), "\(run.errors)")
        for words in refusal.words { #expect(run.errors.contains(words), "\(run.errors)") }
        #expect(run.replies[0].isOK)
        #expect(run.replies[1].state(of: name) == "failed")
        #expect(run.replies[1].state(of: "Plain") == "active")
        #expect(run.replies[2]["title"] == "Plain")
        #expect(run.status == 0)
    }
}
