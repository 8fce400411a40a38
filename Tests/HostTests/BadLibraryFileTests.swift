import Foundation
import Testing

/// Gives the built host files that are refused for what they bring along, or for their size; none of their code runs.
@Suite struct BadLibraryFileTests {
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

    @Test(
        "A module with a copy of AtriumKit is refused before it is opened, untried and again too",
        arguments: [false, true])
    func ownKit(isHidden: Bool) throws {
        let site = try HostSite()
        let file = site.folder.appending(path: "libPlain.so")
        var image = try LibraryImage(of: .plain)
        if isHidden {
            // As it is linked with a copy whose symbols are not exported: it needs no other.
            image.replace("libAtriumKit.so", with: "libAtriumNot.so")
        } else {
            try image.define("$s9AtriumKit13FeatureModuleMp")
        }
        try image.data.write(to: file)
        let add = "module add '\(file.path)'"

        let run = try site.run([add, add, "where"], options: ["--no-preflight"])
        let next = try site.run([add], options: ["--no-preflight"])

        for reply in run.replies.prefix(2) + next.replies {
            #expect(reply.code == "ownLibrary", "\(reply.text)")
            #expect(
                reply.message
                    == "Module 'Plain' has a copy of AtriumKit in it, whose types are not those of the host.")
        }
        #expect(run.replies.last?.isOK == true)
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
}
