import Foundation
import Testing

/// A host whose parent closed its input or outputs.
@Suite("Closed standard descriptors")
struct StandardDescriptorTests {
    @Test(
        "Closed ones are opened on the null device: nothing hangs, and nothing is printed into a file",
        arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    func closed(_ closing: String) throws {
        let site = try HostSite()
        let data = site.folder.appending(path: "data").path
        func host(_ redirection: String, _ options: String...) throws -> ProgramRun {
            try ProgramRun.run(
                "/bin/sh",
                [
                    "-c", "exec timeout 30 \"$@\" \(redirection)", "sh",
                    Project.release.appending(path: "atrium").path, "--json", "--data", data, "--config",
                    site.folder.appending(path: "modules.json").path,
                ] + options)
        }

        let script = try host(closing, "-c", "entities create --name Zebra; nosuch")
        let reading = try host("\(closing) < /dev/null")
        let starting = try host(closing)

        #expect(script.status == 1, "\(script.output)")
        #expect(reading.status == 0 && starting.status == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: data) where name.hasSuffix("l") {
            let text = try String(contentsOfFile: data + "/" + name, encoding: .utf8)
            #expect(!text.contains("Zebra"), "\(name)")
        }
    }
}
