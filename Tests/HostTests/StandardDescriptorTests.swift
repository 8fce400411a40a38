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
        let host = """
            exec timeout 30 \(Project.release.appending(path: "atrium").path) --json --data \(data) \
              --config \(site.folder.appending(path: "modules.json").path)
            """

        let script = try ProgramRun.run(
            "/bin/sh", ["-c", "\(host) -c 'entities create --name Zebra; nosuch' \(closing)"])
        let reading = try ProgramRun.run("/bin/sh", ["-c", "\(host) \(closing) < /dev/null"])
        let starting = try ProgramRun.run("/bin/sh", ["-c", "\(host) \(closing)"])

        #expect(script.status == 1, "\(script.output)")
        #expect(reading.status == 0 && starting.status == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: data) where name.hasSuffix("l") {
            let text = try String(contentsOfFile: data + "/" + name, encoding: .utf8)
            #expect(!text.contains("Zebra"), "\(name)")
        }
    }
}
