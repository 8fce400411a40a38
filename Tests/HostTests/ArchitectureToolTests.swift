import Foundation
import Testing

/// Errors of the architecture check, and its output formats.
@Suite struct ArchitectureToolTests {
    private let site: ModuleSite

    init() throws {
        site = try ModuleSite()
        try site.write("Model/Price.swift", "struct Price {}\n")
    }

    @Test("With --json a violation is printed as an object")
    func json() throws {
        try site.write(
            "Services/Shared.swift", "final class Shared: Sendable {\n    static let one = Shared()\n}\n")
        let module = try CheckedModule(site.folder)

        let run = try module.check("--json")

        let path = site.folder.appending(path: "Services/Shared.swift").path
        #expect(
            run.output == """
                {"column":16,"file":"\(path)","line":2,"message":"'one' is one object of class 'Small.Shared' for \
                everybody; register it as 'shared', so that each generation has its own and tests can replace it",\
                "rule":"singleton"}
                {"exceptions":0,"rules":\(CheckedModule.ruleCount),"targets":1,"violations":1}

                """)
        #expect(run.status == 1)
    }

    @Test("With --checklist each anti-pattern is printed with its verdict, as on the page")
    func checklist() throws {
        let control = ArchitectureTests.fixtures.appending(path: "Control")

        let run = try CheckedModule(control).check("--checklist")

        let page = try String(
            contentsOf: Project.root.appending(path: "Docs/architecture-check.md"), encoding: .utf8)
        let block = try #require(page.firstMatch(of: /check-architecture --checklist\n((?s).*?)```/))
        #expect(run.output == block.output.1)
        #expect(
            run.output.matches(of: /(?m)^(?:MVVM|Repository|Service|APIManager|Singleton|Review)/).count == 7)
        #expect(run.status == 0)
    }

    @Test("The checklist has the places of what was found, also as objects")
    func checklistFindings() throws {
        try site.write(
            "Services/Shared.swift", "final class Shared: Sendable {\n    static let one = Shared()\n}\n")
        let module = try CheckedModule(site.folder)
        let path = site.folder.appending(path: "Services/Shared.swift").path

        let text = try module.check("--checklist")
        let objects = try module.check("--checklist", "--json")

        #expect(
            text.output.contains(
                "15  A service as a singleton                 1 found by singleton, global-access\n      \(path):2 singleton\n"
            ))
        #expect(
            text.output.contains(
                " 9  A service with business logic            nothing found by service-logic\n"))
        #expect(
            objects.output.contains(
                #"{"antiPattern":"Service 1","findings":[],"name":"A service with business logic","rules":["service-logic"]}"#
            ))
        let lines = objects.output.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix(#"{"antiPattern":"#) } == 27)
        #expect(
            lines.contains {
                $0.hasPrefix(#"{"antiPattern":"Singleton 1","findings":[{"column":16,"file":"\#(path)""#)
            })
        #expect(text.status == 1 && objects.status == 1)
    }

    @Test("A deleted file is not checked")
    func removed() throws {
        try site.write(
            "Services/Shared.swift", "final class Shared: Sendable {\n    static let one = Shared()\n}\n")
        let module = try CheckedModule(site.folder)
        try site.remove("Services/Shared.swift")

        let run = try module.check()

        #expect(run.output == CheckedModule.nothingFound)
        #expect(run.status == 0)
    }

    @Test("A source file may be a symbolic link; its violations are reported at the link")
    func linked() throws {
        try site.write(
            "../Common/Shared.swift", "final class Shared: Sendable {\n    static let one = Shared()\n}\n")
        let link = site.folder.appending(path: "Services/Shared.swift")
        try FileManager.default.createDirectory(
            at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: link.path, withDestinationPath: "../../Common/Shared.swift")
        let module = try CheckedModule(site.folder)

        let run = try module.check()

        #expect(run.output.hasPrefix("\(link.path):2:16: error: [singleton] 'one' is one object"))
        #expect(run.status == 1)
    }

    @Test("A folder that is a symbolic link is looked into")
    func linkedFolder() throws {
        let other = try ModuleSite()
        try other.write("Shared.swift", "enum Shared {}\n")
        let module = try CheckedModule(site.folder)
        try FileManager.default.createSymbolicLink(
            at: site.folder.appending(path: "Services"), withDestinationURL: other.folder)

        let run = try module.check()

        let path = site.folder.appending(path: "Services/Shared.swift").path
        #expect(run.output == "error: \(path) is not in the index; run 'swift build', then check again\n")
        #expect(run.status == 2)
    }

    @Test("A file that was not compiled is an error with a hint")
    func notBuilt() throws {
        let module = try CheckedModule(site.folder)
        try site.write("Model/Order.swift", "struct Order {}\n")

        let run = try module.check()

        let path = site.folder.appending(path: "Model/Order.swift").path
        #expect(run.output == "error: \(path) is not in the index; run 'swift build', then check again\n")
        #expect(run.status == 2)
    }

    @Test("A file that changed after it was compiled is an error")
    func changed() throws {
        let module = try CheckedModule(site.folder)
        let path = site.folder.appending(path: "Model/Price.swift").path
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: path)
        let stale = try module.check()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: path)

        let run = try module.check()

        #expect(
            stale.output
                == "error: \(path) has changed since it was built; run 'swift build', then check again\n")
        #expect(stale.status == 2)
        #expect(run.status == 0)
    }

    @Test("A missing index is an error that names the build that writes one")
    func noIndex() throws {
        let run = try ProgramRun.run(
            CheckedModule.tool, ["--store", "/nowhere/store", "--module", site.folder.path])

        #expect(
            run.output == """
                error: there is no index at /nowhere/store; debug builds write one: run 'swift build', \
                without -c release

                """)
        #expect(run.status == 2)
    }

    @Test(
        "Invalid arguments are errors that name them",
        arguments: [
            (["--store", "/tmp"], "no folder to check"),
            (["--module", "/tmp"], "/tmp/module.json is missing; a feature module has its manifest"),
            (["--host", "/nowhere"], "/nowhere is no folder"),
            (["--host", "/tmp"], "'--store' is missing"),
            (["--stoer", "/tmp"], "'--stoer' is no option"),
            (["--store"], "'--store' needs a value"),
        ])
    func arguments(_ arguments: [String], _ problem: String) throws {
        let run = try ProgramRun.run(CheckedModule.tool, arguments)

        #expect(run.output.hasPrefix("error: \(problem)"))
        #expect(run.status == 2)
    }

    @Test("An invalid libIndexStore is an error with a hint")
    func library() throws {
        let module = try CheckedModule(site.folder)

        let run = try module.check("--library", "/nowhere/libIndexStore.so")

        #expect(run.output.hasPrefix("error: /nowhere/libIndexStore.so can't be used: "))
        #expect(run.output.hasSuffix("; name the toolchain's libIndexStore with --library\n"))
        #expect(run.status == 2)
    }

    @Test("Unreadable index units count as not built")
    func brokenIndex() throws {
        let module = try CheckedModule(site.folder)
        let units = module.store.appending(path: "v5/units")
        for name in try FileManager.default.contentsOfDirectory(atPath: units.path) {
            try Data("no unit".utf8).write(to: units.appending(path: name))
        }

        let run = try module.check()

        #expect(run.output.contains("is not in the index"))
        #expect(run.status == 2)
    }
}
