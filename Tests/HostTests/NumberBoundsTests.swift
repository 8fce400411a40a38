import Foundation
import Testing

/// Gives every reader of numbers the bounds of what it reads, and what only looks like a number.
@Suite("Numbers at their bounds")
struct NumberBoundsTests {
    private static let numbers = [
        "-9223372036854775808", "-9223372036854775809", "9223372036854775807", "9223372036854775808",
        "9223372036854775806", "18446744073709551616", "2147483647", "2147483648", "-2147483648",
        "-2147483649",
        "9007199254740991", "9007199254740993", "-9007199254740993", "-1", "0", "-0", "1", "1.5", "1e308",
        "1e400",
        "4.9e-324", "1.7976931348623157e308", "nan", "-inf",
        "٣", "",
        String(repeating: "9", count: 30), String(repeating: "9", count: 400),
    ]

    @Test("No number ends the host, wherever it is read")
    func everywhere() throws {
        let site = try HostSite([("UserProfile", nil)])
        let readers = try Self.readers(site)
        #expect(readers.count > 20, "\(readers)")
        let lines = readers.flatMap { reader in
            Self.numbers.map { reader.replacing("NUMBER", with: $0.isEmpty ? "''" : $0) }
        }

        let host = try site.converse(seconds: 180)
        for line in lines {
            let reply = try host.ask(line)

            #expect(reply.code != "unexpected", "\(line): \(reply.message)")
        }
        let run = try host.finish()

        #expect(run.status == 1)
    }

    /// Commands with the word NUMBER where they read one: words that name an action by its number, values in
    /// links, and every argument of a command or action that is a number.
    private static func readers(_ site: HostSite) throws -> [String] {
        let run = try site.run("links", "help")
        let links = run.replies[0].rows("rows").compactMap { $0["link"] as? String }
        var commands = run.replies[1].rows("rows").compactMap { $0["name"] as? String }
        for link in links where !link.contains(":") {
            let actions = try site.run("help \(link)").replies[0].rows("rows")
            commands += actions.compactMap { $0["name"] as? String }.map { "\(link) \($0)" }
        }
        let help = try site.run(commands.map { "help \($0)" })
        var readers = ["NUMBER", "open entities", "NUMBER", "NUMBER 1 2", "root"]
        for link in links where link.contains(":") {
            let value = link.replacing(/:\w+[?*]?/, with: "NUMBER")
            readers += [value, "open \(value)", "where \(value)", "\(value) delete --yes"]
        }
        readers += ["page", "size"].map { "entities?\($0)=NUMBER" }
        readers += ["users?page=NUMBER", "entities/categories?limit=NUMBER"]
        for (command, reply) in zip(commands, help.replies) {
            let arguments = reply.rows("rows") + reply.rows("arguments")
            // Its number is the exit code, so it ends the host on purpose.
            if command == "exit" { continue }
            func text(_ argument: [String: Any], _ key: String) -> String { argument[key] as? String ?? "" }
            for argument in arguments where ["a number", "a whole number"].contains(text(argument, "type")) {
                let others = arguments.filter {
                    $0["required"] as? Bool == true && text($0, "name") != text(argument, "name")
                }
                let given = others.map {
                    "\(text($0, "name"))=\(text($0, "type").split(separator: ",").first ?? "x")"
                }
                let end = command == "live" && text(argument, "name") != "--for" ? ["--for=0.01"] : []
                readers.append(
                    ([command] + given + ["\(text(argument, "name"))=NUMBER"] + end).joined(separator: " "))
            }
        }
        return readers
    }

    @Test("No number in a state file or modules.json ends the host")
    func files() throws {
        for number in ["-9223372036854775808", "9223372036854775807", "1e308", "-1", "1e-308", "0"] {
            let site = try HostSite()
            _ = try site.run("open entities", "open counter")
            let data = site.folder.appending(path: "data")
            for name in ["navigation-local.json", "installed.json", "crashes.json", "session-local.json"] {
                let file = data.appending(path: name)
                guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
                try text.replacing(/:\d+/, with: ":\(number)").write(
                    to: file, atomically: true, encoding: .utf8)
            }

            let run = try site.run("where", "links", "back", "events")

            #expect((0...1).contains(run.status), "\(number): \(run.errors)")
            #expect(run.replies.count == 4)
        }
    }
}
