import Foundation
import Testing

/// The lines of `--json`, as Docs/json.md describes them.
@Suite("The shape of JSON lines")
struct JSONShapeTests {
    @Test("Every line of every command has it", arguments: ["local", "mock"])
    func commands(_ environment: String) throws {
        let site = try HostSite([("UserProfile", nil)], environment: environment)
        let names = try site.run("help").replies[0].rows("rows").compactMap { $0["name"] as? String }
        let links = try site.run("links").replies[0].rows("rows").compactMap { $0["link"] as? String }
        #expect(names.count > 40 && links.count > 8)
        // What would end the host, start it anew, or write files beside the tests.
        let usual = names.filter { !["exit", "live", "backup"].contains($0) }
        var lines = [
            "session sign-up --email a@example.com --password @env:HOME", "entities create --name A",
        ]
        for link in links.map({ $0.replacing(":id", with: "1") }) {
            lines += [
                link, "open \(link)", "where", "actions", "\(link) nosuch", "help \(link)", "\(link) --help",
            ]
        }
        for name in usual {
            lines += [
                name, "\(name) entities", "\(name) Entities --plan", "\(name) --nosuch", "help \(name)",
            ]
        }
        lines += [
            "open entities", "watch entities", "create --name B", "watch --end", "nosuch", "1", "why",
        ]
        lines += ["backup '\(site.folder.path)/a.atrium'", "backup /proc/none", "help backup"]
        lines += ["live --changes 1 --for 0.05", "live entities --for 0.05"]

        // A quote that is not closed is an error of the whole line.
        for reply in try site.run("'open").replies { check(reply) }
        let run = try site.run(lines)

        #expect(run.replies.count >= lines.count)
        for reply in run.replies { check(reply) }
    }

    @Test("So have the lines of a host that does not start, and of its other modes")
    func starts() throws {
        let site = try HostSite()
        let config = ["--config", site.folder.appending(path: "modules.json").path]
        let file = site.folder.appending(path: "modules.json").path
        let starts: [([String], Int32)] = [
            (["--nosuch"], 2), (["--data", file, "-c", "where"], 2), (["--data", "/proc/1/none"], 2),
            (["--config", "/nonexistent.json"], 2), (["run", "/nonexistent"], 1), (["--size", "x"], 2),
            (["--version"], 0), (["--help"], 0), (config + ["verify"], 0), (config + ["lock"], 0),
            (["repository", "index", "/nonexistent"], 1),
        ]
        for (arguments, status) in starts {
            let data = arguments.contains("--data") ? [] : ["--data", site.folder.appending(path: "d").path]
            let run = try ProgramRun.run(
                "/bin/sh",
                [
                    "-c", #"exec "$@" 2> /dev/null"#, "sh", Project.release.appending(path: "atrium").path,
                    "--json",
                ] + data + arguments)

            #expect(run.status == status, "\(arguments)")
            let lines = run.output.split(separator: "\n")
            #expect(lines.count == 1, "\(arguments): \(run.output)")
            for line in lines { check(HostReply(line)) }
        }
    }

    private func check(_ reply: HostReply) {
        let object = (try? JSONSerialization.jsonObject(with: Data(reply.text.utf8))) as? [String: Any] ?? [:]
        #expect(Set(object.keys) == ["command", "ok", reply.isOK ? "result" : "error"], "\(reply.text)")
        #expect(object["command"] is String || (object["command"] is NSNull && !reply.isOK), "\(reply.text)")
        #expect(
            reply.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        if reply.isOK {
            checkCollections(of: object["result"], in: reply)
        } else {
            #expect(Set(reply.error.keys) == ["code", "message", "hint", "details"], "\(reply.text)")
            #expect(reply.code?.isEmpty == false && !reply.message.isEmpty, "\(reply.text)")
            #expect(reply.error["hint"] is String || reply.error["hint"] is NSNull, "\(reply.text)")
            checkCollections(of: reply.error["details"], in: reply)
        }
    }

    /// Where there is a list of objects beside the notices, there is one that is called `rows`.
    private func checkCollections(of value: Any?, in reply: HostReply) {
        guard let members = value as? [String: Any] else {
            Issue.record("No object: \(reply.text)")
            return
        }
        let lists = members.filter { $0.key != "notices" && ($0.value as? [Any])?.first is [String: Any] }
        #expect(lists.isEmpty || members["rows"] is [Any], "\(lists.keys): \(reply.text.prefix(300))")
    }
}
