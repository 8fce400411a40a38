import Foundation
import Testing

/// The builds of a module that ran before, which the store of the data folder keeps.
@Suite("Former builds of a module") struct FormerBuildTests {
    /// Builds of one version of one module.
    private func build(_ mark: String, in site: HostSite, step: String = "never") throws -> URL {
        try Misdeed(step, mark, "").library(in: site.folder)
    }

    @Test(
        "A module whose library was replaced by one that is refused, or by no library, starts with the build before",
        arguments: ["refused", "damaged"])
    func refused(_ fault: String) throws {
        let site = try HostSite()
        let library = try build("umask", in: site)
        _ = try site.run("module add '\(library.path)'")
        if fault == "damaged" {
            try Data("no library".utf8).write(to: library)
        } else {
            _ = try build("umask", in: site, step: "register")
        }

        let run = try site.run("misbehaves", "module update Misbehaves", "misbehaves", "why Misbehaves")

        try #require(run.replies.count == 4, "\(run.errors)")
        #expect(run.replies[0]["title"] == "Misbehaves", "\(run.replies[0].text)")
        #expect(run.errors.contains("warning: Module 'Misbehaves' runs 1.0.0, the build "), "\(run.errors)")
        #expect(!run.replies[1].isOK)
        #expect(run.replies[2]["title"] == "Misbehaves", "\(run.replies[2].text)")
        #expect(
            run.replies[3].text.contains("It runs the build ")
                && run.replies[3].text.contains("the library at its path was refused."),
            "\(run.replies[3].text)")
    }

    @Test("'module rollback' returns to a build by its digest, also after a restart, and says which")
    func chosen() throws {
        let site = try HostSite()
        for mark in ["one", "two", "three"] {
            let library = try build(mark, in: site)
            _ = try site.run("module add '\(library.path)'", "module update")
        }

        let unknown = try site.run("module rollback Misbehaves --build 2.0.0")
        let message = unknown.replies[0].message
        let first = try #require(message.split(separator: " ").last { $0.count == 8 }.map(String.init))
        let run = try site.run(
            "module rollback Misbehaves --build \(first) --plan",
            "module rollback Misbehaves --build \(first)",
            "module rollback Misbehaves --build \(first)", "module rollback Misbehaves --build 1.0.0")

        #expect(
            message.hasPrefix("Module 'Misbehaves' has no build '2.0.0' in this host. 1.0.0 is the build "))
        #expect(
            run.replies[0].text.contains("it is rolled back to the build \(first) of 2"),
            "\(run.replies[0].text)")
        #expect(run.replies[1].text.contains("by the build \(first) of 2"), "\(run.replies[1].text)")
        // It is the present one.
        #expect(!run.replies[2].isOK)
        // The two others.
        #expect(
            run.replies[3].message.hasPrefix(
                "Module 'Misbehaves' has 2 builds that match '1.0.0' in this host. "),
            "\(run.replies[3].text)")
    }
}
