import Foundation
import Testing

/// Gives the built host each bad fixture module and each damaged file: by a command while it runs, and in
/// `modules.json`.
@Suite struct BadModuleTests {
    @Test(
        "A bad module is refused with the reason, the stack stays, and a good module then loads",
        arguments: BadLibrary.all)
    func added(_ bad: BadLibrary) throws {
        let site = try HostSite(bad.companion)
        let file = try bad.library(in: site.folder)
        let good = try FixtureModule.plain.library()

        let run = try site.run(
            "open entities", "module add '\(file.path)'", "where", "modules", "module add '\(good.path)'",
            "plain", "entities list")
        let later = try site.run("where")

        try #require(run.replies.count == 7, "The host ended with \(run.status): \(run.errors)")
        let added = run.replies[1]
        #expect(!added.isOK)
        #expect(added.code == bad.code, "\(added.text)")
        for words in bad.words { #expect(added.message.contains(words), "\(added.text)") }
        #expect(run.replies[2]["link"] == "entities", "\(run.replies[2].text)")
        #expect(run.replies[3].state(of: bad.moduleName) != "active")
        #expect(run.replies[3].state(of: "Entities") == "active")
        #expect(run.replies[4].isOK, "\(run.replies[4].text)")
        #expect(run.replies[5]["title"] == "Plain", "\(run.replies[5].text)")
        #expect(run.replies[6]["title"] == "Entities", "\(run.replies[6].text)")
        #expect(run.status == 3)
        #expect(later.reply(to: "where")?["link"] == "entities")
    }

    @Test(
        "A bad module in modules.json is reported with the reason, and other modules work",
        arguments: BadLibrary.configured)
    func configured(_ bad: BadLibrary) throws {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        let good = try FixtureModule("quiet").library()
        let name = bad.moduleName
        let site = try HostSite(bad.companion + [(name, try bad.library(in: folder)), ("Quiet", good)])

        let run = try site.run("open entities", "modules", "quiet")

        try #require(run.replies.count == 3, "The host ended with \(run.status): \(run.errors)")
        #expect(run.errors.contains("Module '\(name)' is not active"), "\(run.errors)")
        for words in bad.words { #expect(run.errors.contains(words), "\(run.errors)") }
        #expect(run.replies[0].isOK)
        #expect(run.replies[1].state(of: name) == "failed")
        #expect(run.replies[2].isOK, "\(run.replies[2].text)")
        #expect(run.status == 0)
    }
}

/// A library that the host must refuse: a fixture, or a damaged file.
struct BadLibrary: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let moduleName: String
    let code: String
    let words: [String]
    /// What must be loaded first.
    let companion: [(name: String, library: URL?)]
    private let make: @Sendable (URL) throws -> URL

    /// The library; a damaged one is written into a folder.
    func library(in folder: URL) throws -> URL { try make(folder) }

    init(_ refusal: Refusal) {
        testDescription = refusal.testDescription
        moduleName = refusal.fixture.moduleName
        (code, words) = (refusal.code, refusal.words)
        companion = refusal.companion.map { [($0, nil)] } ?? []
        make = { _ in try refusal.fixture.library() }
    }

    init(_ fault: FileFault) {
        testDescription = fault.testDescription
        moduleName = "Plain"
        (code, words, companion) = (fault.code, [fault.words], [])
        make = { folder in
            let file = folder.appending(path: "libPlain.so")
            var image = try LibraryImage(of: .plain)
            try fault.spoil(&image)
            try image.data.write(to: file)
            return file
        }
    }

    static let all = Refusal.all.map(Self.init) + FileFault.all.map(Self.init)
    static let configured =
        (Refusal.unread + Refusal.thrown + Refusal.unbuildable + Refusal.deadlyKinds).map(Self.init)
        + FileFault.all.map(Self.init)
}
