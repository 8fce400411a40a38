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

    @Test("A module that brings a library of its own is refused before it is opened, with what to do instead")
    func ownLibrary() throws {
        let site = try HostSite()
        let file = site.folder.appending(path: "libPlain.so")
        let own = site.folder.appending(path: "libBroughtAlongWith.so")
        var image = try LibraryImage(of: .plain)
        image.replace("libswiftObservation.so", with: own.lastPathComponent)
        try image.data.write(to: file)
        try image.data.write(to: own)

        let run = try site.run("module add '\(file.path)'", "where")
        let untried = try site.run(["module add '\(file.path)'"], options: ["--no-preflight"])

        for reply in [run.replies[0], untried.replies[0]] {
            #expect(reply.code == "ownLibrary", "\(reply.text)")
            #expect(reply.message.contains("a library of its own, '\(own.path)'"), "\(reply.text)")
            #expect((reply.error["hint"] as? String)?.contains("statically") == true, "\(reply.text)")
        }
        #expect(run.replies[1].isOK)
    }

    @Test("A sparse file of 10 GB is not read, as a library and as a copy in the data folder")
    func sparse() throws {
        let good = try FixtureModule.plain.library()
        let site = try HostSite([("Plain", good)])
        #expect(try site.run("plain").replies[0]["title"] == "Plain")
        let copies = site.folder.appending(path: "data/modules")
        for name in try FileManager.default.contentsOfDirectory(atPath: copies.path)
        where name.hasSuffix(".so") {
            truncate(copies.appending(path: name).path, 10 << 30)
        }
        let large = site.folder.appending(path: "libLarge.so")
        try FileManager.default.copyItem(at: good, to: large)
        truncate(large.path, 10 << 30)

        let run = try site.run(
            "modules", "plain", "module add '\(large.path)'", "module add '\(site.folder.path)'")

        try #require(run.replies.count == 4, "The host ended with \(run.status): \(run.errors)")
        #expect(run.replies[0].state(of: "Plain") == "active", "\(run.replies[0].text)")
        #expect(run.replies[1]["title"] == "Plain", "\(run.replies[1].text)")
        #expect(run.replies[2].code == "tooLarge", "\(run.replies[2].text)")
        #expect(!run.replies[3].isOK)
    }

    private static func write(_ fault: FileFault, to file: URL) throws {
        var image = try LibraryImage(of: .plain)
        try fault.spoil(&image)
        try image.data.write(to: file)
    }
}
