import Foundation
import Synchronization
import Testing

/// Adds, updates and removes fixture modules in a running host.
@Suite struct ModuleStoryTests {
    private let site: HostSite
    private let host: HostProcess
    /// The path of the library that the tests replace.
    private let file: URL

    init() throws {
        site = try HostSite()
        host = try site.converse()
        file = site.folder.appending(path: "module.so")
    }

    // MARK: - Updates

    @Test("An update keeps the state of module, screen and stack; so does an update to the former version")
    func update() throws {
        try install("counter-1")
        try succeed("module add '\(file.path)'", "open counter", "step 3", "increment")

        try install("counter-2")
        try succeed("module update Counter")
        let updated = try host.ask("counter increment")
        let entry = try host.ask("increment")
        try install("counter-1")
        try succeed("module update Counter --yes")
        let back = try host.ask("increment")
        let place = try host.ask("where")
        let run = try host.finish()

        #expect(updated["version"] == "1.1.0")
        #expect(updated["count"] == "4")
        #expect(updated["highest"] == "4")
        #expect(entry["count"] == "7")
        #expect(entry["step"] == "3")
        #expect(back["version"] == "1.0.0")
        #expect(back["count"] == "10")
        #expect(place["link"] == "counter")
        #expect(run.status == 0)
    }

    @Test(
        "An update whose state can't be transferred changes nothing",
        arguments: [
            ("counter-1", "throws-in-restore", "The fixture throws in restore."),
            ("throws-in-snapshot", "counter-2", "The fixture throws in snapshot."),
        ])
    func handOver(_ first: String, _ second: String, _ reason: String) throws {
        try install(first)
        try succeed("open entities", "module add '\(file.path)'")
        try install(second)

        let update = try host.ask("module update Counter")
        let counter = try host.ask("counter")
        let place = try host.ask("where")
        let good = try host.ask("module add '\(try FixtureModule.plain.library().path)'")
        let run = try host.finish()

        #expect(update.code == "handOver", "\(update.text)")
        #expect(update.message.contains("Counter"), "\(update.text)")
        #expect(update.message.contains(reason), "\(update.text)")
        #expect(counter["version"] == "1.0.0")
        #expect(place["link"] == "entities")
        #expect(good.isOK)
        #expect(run.status == 3)
    }

    @Test("A build of the same version with other content replaces the current one")
    func sameVersion() throws {
        try install("plain")
        try succeed("module add '\(file.path)'")
        let before = try host.ask("module Plain")
        try install("same-version-other-content")

        let added = try host.ask("module add '\(file.path)'")
        let updated = try host.ask("module update Plain")
        let after = try host.ask("module Plain")
        let screen = try host.ask("plain")

        #expect(added.code == "alreadyThere", "\(added.text)")
        #expect(updated.isOK, "\(updated.text)")
        #expect(before["version"] == after["version"])
        #expect(before["digest"] != after["digest"], "\(after.text)")
        #expect(screen["title"] == "Plain")
    }

    @Test("A second module of the same name is refused until the first is removed")
    func twoOfOneName() throws {
        let first = try FixtureModule.plain.library().path
        let second = try FixtureModule("same-name").library().path

        let both = try host.ask("module add '\(first)' '\(second)'")
        let one = try host.ask("module add '\(first)'")
        let other = try host.ask("module add '\(second)'")
        let present = try host.ask("module Plain")
        try succeed("module remove Plain", "module add '\(second)'")
        let later = try host.ask("module Plain")

        #expect(both.code == "confirmationNeeded", "\(both.text)")
        #expect(one.isOK, "\(one.text)")
        #expect(other.code == "alreadyThere", "\(other.text)")
        #expect(other.message.contains("Plain"))
        #expect(present["version"] == "1.0.0")
        #expect(later["version"] == "3.0.0")
    }

    // MARK: - Requirements

    @Test(
        "A module whose requirement is not met waits and names it, and other modules work",
        arguments: [
            ("requires-missing", "it requires Nowhere ^1.0.0"),
            ("requires-unsatisfiable", "it requires Entities ^99.0.0, but Entities is 1.0.0"),
            ("greeter", "it requires Counter ^1.0.0"),
        ])
    func waits(_ name: String, _ reason: String) throws {
        let fixture = FixtureModule(name)
        try succeed("open entities")

        _ = try host.ask("module add '\(try fixture.library().path)'")
        let module = try host.ask("module \(fixture.moduleName)")
        let place = try host.ask("where")
        let good = try host.ask("module add '\(try FixtureModule.plain.library().path)'")
        let screen = try host.ask("plain")

        #expect(module.text.contains("waiting"), "\(module.text)")
        #expect(module.text.contains(reason), "\(module.text)")
        #expect(place["link"] == "entities")
        #expect(good.isOK)
        #expect(screen["title"] == "Plain")
    }

    @Test("Modules that require each other are refused with the cycle")
    func circle() throws {
        let first = try FixtureModule("requires-first").library().path
        let second = try FixtureModule("requires-second").library().path

        let added = try host.ask("module add '\(first)' '\(second)'")
        let modules = try host.ask("modules")

        #expect(added.code == "requirementCycle", "\(added.text)")
        #expect(added.message.contains("RequiresFirst → RequiresSecond → RequiresFirst"), "\(added.text)")
        #expect(modules.state(of: "RequiresFirst") == nil)
        #expect(modules.state(of: "Entities") == "active")
    }

    @Test("A waiting module starts with its requirement, sees its update, and waits again after its removal")
    func requirement() throws {
        let greeter = try FixtureModule("greeter").library().path
        try install("counter-1")

        _ = try host.ask("module add '\(greeter)'")
        try succeed("module add '\(file.path)'")
        let first = try host.ask("greeter")
        try install("counter-2")
        try succeed("module update Counter")
        let second = try host.ask("greeter")
        try succeed("module remove Counter")
        let third = try host.ask("greeter")

        #expect(first["greetings"] == "Counter 1.0.0 says hello.")
        #expect(second["greetings"] == "Counter 1.1.0 says hello.")
        #expect(third.message.contains("Counter ^1.0.0"), "\(third.text)")
    }

    @Test("An on-demand module is loaded when its link is first used")
    func onDemand() throws {
        try succeed("module add '\(try FixtureModule("quiet").library().path)'")

        let before = try host.ask("modules")
        let screen = try host.ask("quiet")
        let after = try host.ask("modules")

        #expect(before.state(of: "Quiet") == "resolved", "\(before.text)")
        #expect(screen["title"] == "Quiet")
        #expect(after.state(of: "Quiet") == "active")
    }

    // MARK: - Files that change

    @Test(
        "A library that is replaced repeatedly while it is added is loaded whole or reported as changed"
    )
    func replaced() throws {
        let builds = try ["counter-1", "counter-2"].map { try Data(contentsOf: FixtureModule($0).library()) }
        let isOver = Flag()
        let replacing = Thread { [file] in
            var number = 0
            while !isOver.isSet {
                // Atomic: a new file replaces the one that may be open.
                try? builds[number % 2].write(to: file, options: .atomic)
                number += 1
            }
        }
        try builds[0].write(to: file)
        replacing.start()
        defer { isOver.set() }

        var loaded = 0
        for _ in 0..<200 where loaded < 5 {
            let added = try host.ask("module add '\(file.path)'")
            guard added.isOK else {
                #expect(added.code == "changedWhileRead", "\(added.text)")
                continue
            }
            let module = try host.ask("module Counter")
            let screen = try host.ask("counter")
            #expect(screen["version"] != nil)
            #expect(screen["version"] == module["version"], "\(module.text)")
            try succeed("module remove Counter")
            loaded += 1
        }
        isOver.set()
        let run = try host.finish()

        #expect(loaded == 5, "Only \(loaded) of 200 tries loaded the library.")
        #expect(run.status == 0 || run.status == 3)
    }

    @Test("A module keeps working if its library is overwritten, and updating it is refused")
    func overwritten() throws {
        try install("counter-1")
        try succeed("open entities", "module add '\(file.path)'", "counter increment")
        let handle = try FileHandle(forWritingTo: file)
        let size = try handle.seekToEnd()

        try handle.seek(toOffset: 0)
        try handle.write(contentsOf: Data(repeating: 0, count: Int(size)))
        try handle.close()
        let counter = try host.ask("counter increment")
        let update = try host.ask("module update Counter")
        let again = try host.ask("counter increment")
        let place = try host.ask("where")

        #expect(counter["count"] == "2")
        #expect(update.code == "notALibrary", "\(update.text)")
        #expect(again["count"] == "3")
        #expect(place["link"] == "entities")
    }

    // MARK: - Steps

    /// Replaces the module's library by that of a fixture, as a build does.
    private func install(_ fixture: String) throws {
        try Data(contentsOf: FixtureModule(fixture).library()).write(to: file, options: .atomic)
    }

    private func succeed(_ commands: String...) throws {
        for command in commands {
            let reply = try host.ask(command)
            try #require(reply.isOK, "\(reply.text)")
        }
    }
}

/// Stops another thread.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() {
        value.store(true, ordering: .relaxed)
    }
}
