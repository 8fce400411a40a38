import AtriumKit
import AtriumTesting
import Testing

@testable import Entities
@testable import Session
@testable import UserProfile

@Suite("Every action has a number and a name")
@MainActor
struct ActionNumberTests {
    private nonisolated static let links = [
        "entities", "entities/1", "entities/1/edit", "entities/categories", "entities/new", "profile",
        "profile/edit", "profile/notifications", "session", "session/sign-in", "session/sign-up", "users",
        "users/mock-ada",
    ]

    private func host() async throws -> TestHost {
        let host = try await TestHost(SessionModule.self, UserProfileModule.self, EntitiesModule.self)
        try await host.run("session sign-in --email ada@example.com --password 'difference engine'")
        return host
    }

    @Test("The number of an action on the current screen stands for its name", arguments: links)
    func numbers(_ link: String) async throws {
        let host = try await host()
        try await host.run("open \(link)")

        let rows = rows(try await host.run("actions"))

        for (index, row) in rows.enumerated() {
            let name = try #require(row["name"]?.stringValue)
            #expect(row["number"] == .integer(Int64(index + 1)))
            let help = try await host.run("\(name) --help").text()
            #expect(help.hasPrefix(name))
            #expect(try await host.run("\(index + 1) --help").text() == help)
        }
        await #expect(throws: ServiceError.self) { try await host.run("\(rows.count + 1)") }
    }

    @Test("These are the links of all screens")
    func all() async throws {
        #expect(rows(try await host().run("links")).count == Self.links.count)
    }

    private func rows(_ output: TestHost.Output) -> [JSONValue] {
        if case .array(let rows)? = output.json["rows"] { rows } else { [] }
    }
}
