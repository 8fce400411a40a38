import Foundation
import Testing

/// Gives the built host modules that change the process which they share with it, or print.
@Suite struct MisdeedTests {
    @Test(
        "A module that changes the process is refused, the change named, and a good one beside it is not",
        arguments: Misdeed.changesOfProcess)
    func refused(_ misdeed: Misdeed) throws {
        let site = try HostSite()
        let folder = site.folder.appending(path: "both")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        _ = try misdeed.library(in: folder)
        let good = folder.appending(path: "libPlain.so")
        try FileManager.default.copyItem(at: FixtureModule.plain.library(), to: good)

        let run = try site.run("module add '\(folder.path)'", "module add '\(good.path)'", "plain", "where")

        try #require(run.replies.count == 4, "The host ended with \(run.status): \(run.errors)")
        #expect(run.replies[0].code == "changesProcess", "\(run.replies[0].text)")
        #expect(run.replies[0].message.contains("Module 'Misbehaves' was refused"), "\(run.replies[0].text)")
        #expect(run.replies[0].message.hasSuffix(misdeed.words), "\(run.replies[0].text)")
        #expect(run.replies[1].isOK, "\(run.replies[1].text)")
        #expect(run.replies[2]["title"] == "Plain", "\(run.replies[2].text)")
        #expect(run.replies[3].isOK)
    }

    @Test(
        "What an untried module changes in the host is put back, and told with its name",
        arguments: Misdeed.restored)
    func restored(_ misdeed: Misdeed) throws {
        let site = try HostSite()
        let library = try misdeed.library(in: site.folder)

        let run = try site.run(
            ["module add '\(library.path)'", "misbehaves", "events Misbehaves", "where"],
            options: ["--no-preflight"])

        try #require(run.replies.count == 4, "The host ended with \(run.status): \(run.errors)")
        #expect(run.replies[1]["title"] == "Misbehaves", "\(run.replies[1].text)")
        #expect(run.errors.contains("Module 'Misbehaves' changed the process while it was loaded"))
        #expect(run.errors.contains("The host put back what it could."), "\(run.errors)")
        #expect(run.replies[2].rows("rows").contains { $0["event"] as? String == "changedProcess" })
        #expect(run.status == 0)
    }

    @Test(
        "What an action changed is not blamed on the module that is added next",
        arguments: [
            "umask", "chdir", "variable", "clear", "block", "block-all", "alarm", "ignore", "handler",
            "crash-handler", "user", "group", "rounding", "traps", "locale", "signal-stack", "parent",
            "close-0", "root",
        ])
    func action(_ name: String) throws {
        try bystander(
            name, "The process was changed during 'go' of module 'Misbehaves': ", lasts: false)
    }

    @Test(
        "So is what takes longer to compare, before the next module is loaded",
        arguments: [
            "files", "memory", "addresses", "stack", "processes", "size", "time", "timer", "timer-create",
            "priority",
        ])
    func later(_ name: String) throws {
        try bystander(name, "Something changed the process since ", lasts: nil)
    }

    @Test(
        "What can't be restored is told, and no verdict is kept of what is tried then",
        arguments: ["restrict"])
    func lasting(_ name: String) throws {
        try bystander(name, "Something changed the process since ", lasts: true)
    }

    @Test("A copy of the process that an action makes and ends is named")
    func copy() throws {
        let site = try HostSite()
        let library = try Misdeed("action", "leave", "").library(in: site.folder)

        let run = try site.run("module add '\(library.path)'", "misbehaves go", "where")

        #expect(run.replies.map(\.isOK) == [true, true, true], "\(run.errors)")
        #expect(
            run.errors.contains(
                "error: Module 'Misbehaves' (generation 1) copied the host's process with fork(); the copy was ended."
            ),
            "\(run.errors)")
    }

    @Test("A module that closes the lock of the data folder is named, although the trial has no lock")
    func lock() throws {
        let site = try HostSite()
        let library = try Misdeed("register", "close-lock", "").library(in: site.folder)
        let plain = try FixtureModule.plain.library()

        let run = try site.run(
            "module add '\(library.path)'", "module add '\(plain.path)'", "events Misbehaves", "where")

        #expect(run.replies.map(\.isOK) == [true, true, true, true], "\(run.errors)")
        let words = "the lock of the data folder was released"
        #expect(
            run.errors.contains("Module 'Misbehaves' changed the process while it was loaded: \(words)."),
            "\(run.errors)")
        #expect(run.errors.components(separatedBy: words).count == 2, "Told once: \(run.errors)")
        #expect(run.replies[2].rows("rows").contains { $0["event"] as? String == "changedProcess" })
    }

    @Test("system() in a constructor changes nothing")
    func system() throws {
        let site = try HostSite()
        let library = try Misdeed("open", "quiet-system", "").library(in: site.folder)

        let run = try site.run("module add '\(library.path)'", "misbehaves")

        #expect(run.replies.map(\.isOK) == [true, true], "\(run.errors)")
    }

    @Test("Modules change although the tasks of one block all threads of Swift's pool")
    func pool() throws {
        let site = try HostSite()
        let library = try Misdeed("action", "pool", "").library(in: site.folder)
        let plain = try FixtureModule.plain.library()

        let run = try site.run(
            "module add '\(library.path)'", "misbehaves go", "module add '\(plain.path)'",
            "module remove Plain", "module update")

        #expect(run.replies.map(\.isOK) == [true, true, true, true, true], "\(run.errors)")
    }

    @Test(
        "What a module prints is a line of the log with its name, and nothing of it is in the output",
        arguments: Misdeed.prints)
    func printed(_ misdeed: Misdeed) throws {
        let site = try HostSite()
        let library = try misdeed.library(in: site.folder)

        let run = try site.run("module add '\(library.path)'", "misbehaves go", "misbehaves", "where")

        #expect(run.replies.map(\.isOK) == [true, true, true, true])
        #expect(run.replies[3].command == "where")
        #expect(run.errors == "")
        let log = site.folder.appending(path: "data/atrium.log")
        let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        #expect(
            lines.contains { $0.contains(" info Misbehaves: ") && $0.contains(misdeed.words) }, "\(lines)")
        if misdeed.name == "print-much" { #expect(lines.count == 20_000) }
    }

    @Test("What is printed at once beyond a megabyte is lost, the log says so, and the host goes on")
    func flood() throws {
        let site = try HostSite()
        let library = try Misdeed("action", "print-flood", "").library(in: site.folder)

        let run = try site.run("module add '\(library.path)'", "misbehaves go", "where")

        #expect(run.replies.map(\.isOK) == [true, true, true])
        let log = site.folder.appending(path: "data/atrium.log")
        let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        #expect(lines.dropLast().allSatisfy { $0.contains(" info Misbehaves: line ") })
        #expect(
            lines.last?.hasSuffix(" warning Misbehaves: More was printed at once than is kept; it is lost.")
                == true)
    }

    @Test("What a module prints after its command is logged with the names of those that are active")
    func printedLater() throws {
        let site = try HostSite()
        let library = try Misdeed("later", "print", "").library(in: site.folder)
        let log = site.folder.appending(path: "data/atrium.log")

        let host = try site.converse()
        #expect(try host.ask("module add '\(library.path)'").isOK)
        #expect(try host.ask("misbehaves later").isOK)
        var text = ""
        while !text.contains("a line of print") {
            #expect(try host.ask("where").isOK)
            text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        }

        #expect(text.contains("Misbehaves"), "\(text)")
        #expect(try host.finish().status == 0)
    }

    @Test("Swift's reason for a trap is on standard error, although modules print into the log")
    func reasonOfTrap() throws {
        let site = try HostSite()
        let library = try FixtureModule("traps-in-action").library()

        let run = try site.run("module add '\(library.path)'", "traps-in-action go")

        #expect(run.errors.contains("Fatal error: The fixture traps in an action."), "\(run.errors)")
    }

    private func bystander(_ name: String, _ sentence: String, lasts: Bool?) throws {
        let site = try HostSite()
        let library = try Misdeed("action", name, "").library(in: site.folder)
        let plain = try FixtureModule.plain.library()

        let run = try site.run(
            "module add '\(library.path)'", "misbehaves go", "module add '\(plain.path)'", "plain",
            "events Plain")

        try #require(run.replies.map(\.isOK) == [true, true, true, true, true], "\(run.errors)")
        #expect(run.errors.contains(sentence), "\(run.errors)")
        // Only root with all of its capabilities may raise a hard limit again.
        if let lasts { #expect(run.errors.contains(", which can't be undone") == lasts, "\(run.errors)") }
        #expect(
            run.errors.components(separatedBy: "The host put back").count == 2, "Told once: \(run.errors)")
        #expect(run.errors.contains("'Misbehaves'"), "\(run.errors)")
        #expect(!run.errors.contains("'Plain' changed"), "\(run.errors)")
        #expect(run.replies[4].rows("rows").allSatisfy { $0["event"] as? String != "changedProcess" })
    }
}

/// Verdicts of the trial that were due to the limits.
@Suite struct HealingTests {
    @Test("A start that gives modules no time does not refuse them in the next")
    func timeOut() throws {
        let site = try HostSite()

        let hurried = try site.run(["modules"], options: ["--preflight-timeout", "0.001"])
        let next = try site.run("modules")

        #expect(hurried.replies[0].state(of: "Session") == "failed", "\(hurried.replies[0].text)")
        #expect(next.replies[0].state(of: "Session") == "active", "\(next.replies[0].text)")
        #expect(next.replies[0].state(of: "Entities") == "active", "\(next.replies[0].text)")
    }

    @Test("'module start' tries a refused build again, by its module's name")
    func retried() throws {
        let site = try HostSite()
        let folder = site.folder
        let library = try FixtureModule("traps-in-register").library()
        let flag = folder.appending(path: "data/modules/verdicts")

        let first = try site.run("module add '\(library.path)'")
        let kept = try site.run(
            "module add '\(library.path)'", "module start TrapsInRegister", "module start X")

        #expect(first.replies[0].code == "crashes", "\(first.replies[0].text)")
        #expect(!first.replies[0].message.contains("It was tried at"), "\(first.replies[0].text)")
        #expect(
            kept.replies[0].message.hasSuffix(
                " with 2 s a step and 1 GB of memory; that counts for a day."), "\(kept.replies[0].text)")
        // Tried anew.
        #expect(kept.replies[1].code == "crashes", "\(kept.replies[1].text)")
        #expect(!kept.replies[1].message.contains("It was tried at"), "\(kept.replies[1].text)")
        #expect(kept.replies[2].code == "unknownModule", "\(kept.replies[2].text)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: flag.path).count { $0.hasSuffix("json") } == 1
        )
    }
}
