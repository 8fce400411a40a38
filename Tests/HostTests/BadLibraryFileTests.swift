import Foundation
import Testing

/// Gives the built host files that are not modules; none of their code can run.
@Suite struct BadLibraryFileTests {
    @Test(
        "A file that is not a module is refused with the reason, and the intact library then loads",
        arguments: FileFault.all)
    func added(_ fault: FileFault) throws {
        let site = try HostSite()
        let file = site.folder.appending(path: "libPlain.so")
        try Self.write(fault, to: file)
        let good = try FixtureModule.plain.library()

        let run = try site.run(
            "open entities", "module add '\(file.path)'", "where", "module add '\(good.path)'", "plain")

        try #require(run.replies.count == 5, "The host ended with \(run.status): \(run.errors)")
        #expect(!run.replies[1].isOK)
        #expect(run.replies[1].code == fault.code, "\(run.replies[1].text)")
        #expect(run.replies[1].message.contains(fault.words), "\(run.replies[1].text)")
        #expect(run.replies[2]["link"] == "entities")
        #expect(run.replies[3].isOK, "\(run.replies[3].text)")
        #expect(run.replies[4]["title"] == "Plain")
        #expect(run.status == 3)
    }

    @Test(
        "A file in modules.json that is not a module is reported, and other modules work",
        arguments: FileFault.all)
    func configured(_ fault: FileFault) throws {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        let file = folder.appending(path: "libPlain.so")
        try Self.write(fault, to: file)
        let site = try HostSite([("Plain", file)])

        let run = try site.run("open entities", "modules")

        try #require(run.replies.count == 2, "The host ended with \(run.status): \(run.errors)")
        #expect(run.errors.contains("Module 'Plain' is not active"), "\(run.errors)")
        #expect(run.errors.contains(fault.words), "\(run.errors)")
        #expect(run.replies[0].isOK)
        #expect(run.replies[1].state(of: "Plain") == "failed")
        #expect(run.status == 0)
    }

    private static func write(_ fault: FileFault, to file: URL) throws {
        var image = try LibraryImage(of: .plain)
        try fault.spoil(&image)
        try image.data.write(to: file)
    }
}
