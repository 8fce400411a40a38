import Foundation
import Testing

/// Runs the architecture check on the project, and on modules that break its rules.
///
/// Each folder of `Tests/Fixtures/Architecture` breaks a rule and contains the expected line and message.
/// `Control` follows all rules with similar code.
@Suite struct ArchitectureTests {
    static let fixtures = Project.root.appending(path: "Tests/Fixtures/Architecture")
    static let broken: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: fixtures.path)) ?? []
        return names.filter { $0 != "Control" }.sorted()
    }()

    @Test("The SDK, the host and every module follow the rules")
    func project() throws {
        let host = try folders(in: "Sources").filter { $0.contains("/Atrium") || $0.hasSuffix("/atrium") }
            .filter { !$0.hasSuffix("/AtriumKit") && !$0.hasSuffix("/AtriumTools") }
        let modules = try folders(in: "Plugins")
        let sdk = Project.root.appending(path: "Sources/AtriumKit/Sources/AtriumKit").path

        let run = try ProgramRun.run(
            CheckedModule.tool,
            ["--store", Project.debug.appending(path: "index/store").path, "--sdk", sdk]
                + host.flatMap { ["--host", $0] } + modules.flatMap { ["--module", $0] })

        #expect(host.count >= 6 && modules.count >= 4)
        let summary =
            "\(host.count + modules.count + 1) targets, \(CheckedModule.ruleCount) rules, nothing found"
        #expect(
            run.output.hasPrefix(summary) && run.output.split(separator: "\n").count == 1, "\(run.output)")
        #expect(run.status == 0)
    }

    @Test(
        "A module in a package of its own follows the rules",
        arguments: [
            "Examples/Catalog/Sources/Catalog", "Examples/Shop/Sources/Shop",
            "Examples/Library/Sources/Library", "Examples/Backend/Sources/Notes",
        ])
    func example(_ folder: String) throws {
        let run = try CheckedModule(Project.root.appending(path: folder)).check()

        #expect(run.output == CheckedModule.nothingFound)
        #expect(run.status == 0)
    }

    @Test(
        "Every module, the records, and the template of a service have the folders of the common layers",
        arguments: ["Sources/AtriumKit/Sources/AtriumKit/Records", "Plugins/Session", "Plugins/UserProfile"]
            + [
                "Catalog/Sources/Catalog", "Shop/Sources/Shop", "Library/Sources/Library",
                "Backend/Sources/Notes",
            ].map {
                "Examples/\($0)"
            }
            + ["Sources/AtriumKit/Templates/service/Sources/__NAME__"])
    func folders(_ module: String) throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Project.root.appending(path: module).path)

        #expect(Set(["Model", "Repo", "Services", "View", "ViewModel"]).subtracting(names) == [])
    }

    @Test("The control module, which follows all rules, has no violations")
    func control() throws {
        let run = try CheckedModule(Self.fixtures.appending(path: "Control")).check()

        #expect(run.output == CheckedModule.nothingFound)
        #expect(run.status == 0)
    }

    @Test("A broken rule is reported at its line, and nothing else is reported", arguments: broken)
    func planted(_ name: String) throws {
        let module = try CheckedModule(Self.fixtures.appending(path: name))
        let expected = try PlantedViolation.expected(in: module)

        let run = try module.check()

        #expect(!expected.isEmpty, "\(name) contains no expected error.")
        #expect(PlantedViolation.reported(run, in: module) == expected)
        #expect(run.status == 1)
    }

    @Test(
        "A file in a model layer has at most 500 lines", arguments: ["Model", "ViewModel", "AggregateModel"])
    func modelSize(_ layer: String) throws {
        let site = try ModuleSite()
        try site.write("\(layer)/Long.swift", lines: 500)
        try site.write("Services/Longer.swift", lines: 501)
        let module = try CheckedModule(site.folder)
        let fits = try module.check()
        try site.write("\(layer)/Long.swift", lines: 501)
        try module.compile()

        let run = try module.check()

        #expect(fits.output == CheckedModule.nothingFound && fits.status == 0)
        #expect(
            run.output.contains(
                "/\(layer)/Long.swift:1:1: error: [model-size] 501 lines are more than one model, at most 500 are "
                    + "read in a sitting; split it by what changes together\n"))
        #expect(run.output.hasSuffix("\n1 target, \(CheckedModule.ruleCount) rules, 1 violation found\n"))
        #expect(run.status == 1)
    }

    private func folders(in folder: String) throws -> [String] {
        let folder = Project.root.appending(path: folder)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .map { folder.appending(path: $0).path }
    }
}
