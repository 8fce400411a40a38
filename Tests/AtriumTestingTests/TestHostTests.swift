import AtriumKit
import AtriumTesting
import Testing

@testable import Entities
@testable import Session
@testable import UserProfile

@Suite("A host in a test")
@MainActor
struct TestHostTests {
    @Test("A line runs as at the prompt: link, action with text arguments, result")
    func lines() async throws {
        let host = try await TestHost(JournalModule.self)

        let list = try await host.run("open journal")
        let added = try await host.run("add 'Rain all day' --mood low")

        #expect(list.text().contains("Nothing written yet."))
        #expect(added.message == "Added.")
        #expect(added.text(width: 40).contains("Rain all day"))
        #expect(added.json["rows"] == [["text": "Rain all day", "mood": "low"]])
        #expect(host.stack == ["journal"])
    }

    @Test("A stand-in takes the place of a required module, with its version")
    func standIns() async throws {
        let host = try await TestHost(StandIns.SessionModule.self, UserProfileModule.self)

        let error = await #expect(throws: (any Error).self) {
            try await TestHost(Old.SessionModule.self, UserProfileModule.self)
        }

        #expect(try await host.run("open stand-in").text().contains("Stands in"))
        #expect("\(error.map { "\($0)" } ?? "")".contains("Session"), "\(String(describing: error))")
    }

    @Test("What the prompt refuses is thrown, with its code and hint")
    func refusals() async throws {
        let host = try await TestHost(JournalModule.self)
        try await host.run("open journal")

        let mistake = await #expect(throws: ServiceError.self) { try await host.run("add x --mood odd") }
        let question = await #expect(throws: ServiceError.self) { try await host.run("clear") }

        #expect(mistake?.code == "invalidArgument")
        #expect(question?.code == "confirmationNeeded")
        #expect(try await host.run("clear --yes").message == "Cleared.")
    }

    @Test("Completion offers actions, arguments and choices")
    func completion() async throws {
        let host = try await TestHost(JournalModule.self)
        try await host.run("open journal")

        #expect(host.completions(of: "ad") == ["add"])
        #expect(host.completions(of: "add x --mo") == ["--mood"])
        #expect(host.completions(of: "add x --mood ") == ["low", "high"])
    }

    @Test("A presented screen returns its result to the action that waits for it")
    func presents() async throws {
        let host = try await TestHost(JournalModule.self)
        try await host.run("open journal")

        try await host.run("choose")
        let whileChoosing = host.stack
        let chosen = try await host.run("take high")

        #expect(whileChoosing == ["journal", "moods"])
        #expect(host.stack == ["journal"])
        #expect(chosen.message == "The mood is high.")
    }

    @Test("A guard redirects, and the stack continues where it was going")
    func guards() async throws {
        let host = try await TestHost(SessionModule.self, UserProfileModule.self)

        let asked = try await host.run("open profile")
        let screen = host.stack
        _ = try await host.run("sign-in ada@example.com --password 'difference engine'")

        #expect(asked.message?.contains("You will continue to 'profile'.") == true)
        #expect(screen.last?.hasPrefix("session") == true)
        #expect(host.stack == ["profile"])
    }

    @Test("Health checks, mocks and the modules' state are the host's own commands")
    func commands() async throws {
        let host = try await TestHost(SessionModule.self, UserProfileModule.self, EntitiesModule.self)

        let checks = try host.container.contributions(to: .healthChecks)

        #expect(checks.map(\.module) == ["Entities", "UserProfile", "UserProfile"])
        #expect(try await host.run("health").text().contains("Entities"))
        #expect(try await host.run("modules").text().contains("Entities"))
        try await host.run("mock set EntityService error")
        let error = await #expect(throws: ServiceError.self) { try await host.run("entities") }
        #expect(error?.code == "serviceUnavailable")
    }

    @Test("Repositories need services; no service of the bundled modules needs another")
    func services() async throws {
        let host = try await TestHost(SessionModule.self, UserProfileModule.self, EntitiesModule.self)
        var needed: [String: Set<String>] = [:]

        for registration in rows(try await host.run("container")) {
            let layer = try #require(registration["layer"]?.stringValue)
            guard layer == "service" || layer == "repository" else { continue }
            let name = try #require(registration["name"]?.stringValue)
            needed[layer, default: []].formUnion(
                rows(try await host.run("container \"\(name)\"")).compactMap { $0["layer"]?.stringValue })
        }

        #expect(needed["repository"]?.contains("service") == true)
        #expect(needed["service"]?.contains("service") == false)
    }

    private func rows(_ result: TestHost.Output) -> [JSONValue] {
        guard case .array(let rows) = result.json["rows"] else { return [] }
        return rows
    }

    @Test("In environment local each module has a database with its migrations")
    func local() async throws {
        let host = try await TestHost(JournalModule.self, environment: .local)

        try await host.run("journal add Sun --mood high")

        #expect(try await host.container.service((any JournalService).self).entries().map(\.text) == ["Sun"])
    }

    @Test("A restart brings back stack, saved state, module state and data, and nothing else")
    func restarts() async throws {
        let host = try await TestHost(JournalModule.self, environment: .local)
        try await host.run("open journal; add Sun; note draft")
        let former = try host.module(JournalModule.self)
        former.visits = 7

        try await host.restart()

        #expect(host.stack == ["journal"])
        let shown = try await host.run("back; forward")
        #expect(shown.text().contains("Sun"))
        #expect(shown.text().contains("draft"))
        #expect(try host.module(JournalModule.self) !== former)
        #expect(try host.module(JournalModule.self).visits == 7)
    }

    @Test("An update to another build of itself keeps what the module hands over")
    func updates() async throws {
        let host = try await TestHost(JournalModule.self)
        try await host.run("open journal; add Sun; note draft")
        try host.module(JournalModule.self).visits = 3

        try await host.update()

        #expect(try host.module(JournalModule.self).visits == 3)
        #expect(try await host.run("back; forward").text().contains("draft"))
        #expect(try await host.run("module Journal").text().contains("2"))
    }

    @Test("A module that registers what its manifest lacks does not start")
    func startFails() async throws {
        let error = await #expect(throws: ServiceError.self) { try await TestHost(UserProfileModule.self) }
        #expect(error?.message.contains("Session") == true)
    }
}

@Suite("A database in a test")
@MainActor
struct TestDatabaseTests {
    @Test("Migrations run step by step, and keep what was stored")
    func steps() async throws {
        let database = try TestDatabase(JournalModule.self, version: 1)
        try await database.write { _ = try $0.execute("INSERT INTO entries (text) VALUES ('Fog')") }
        let first = try await database.version

        try await database.migrate()

        #expect(first == 1)
        #expect(try await database.version == 2)
        #expect(
            try await LocalJournalService(database: database).entries() == [Entry(text: "Fog", mood: "low")])
    }

    @Test("A host opens a database of an earlier version")
    func inHost() async throws {
        let database = try TestDatabase(JournalModule.self, version: 1)
        try await database.write { _ = try $0.execute("INSERT INTO entries (text) VALUES ('Fog')") }

        let host = try await TestHost(JournalModule.self, environment: .local, databases: [database])

        #expect(try await host.run("journal").json["rows"] == [["text": "Fog", "mood": "low"]])
    }
}

private enum StandIns {
    final class SessionModule: StandInModule {
        static let version = "1.7.0"

        func register(in registry: ModuleRegistry) {
            registry.screen(StandInScreen.self) { _ in StandInView() }
        }
    }
}

private enum Old {
    final class SessionModule: StandInModule {
        static let version = "0.9.0"

        func register(in registry: ModuleRegistry) {}
    }
}

private struct StandInScreen: Destination {
    static let pattern: LinkPattern = "stand-in"
}

private struct StandInView: View {
    var body: Content { Text("Stands in") }
}
