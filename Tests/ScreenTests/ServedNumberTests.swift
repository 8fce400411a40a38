import AtriumTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AtriumCommands
@testable @_spi(Host) import AtriumKit
@testable import AtriumText
@testable import Entities
@testable import Session
@testable import UserProfile

/// Gives every number of every answer of a server the bounds of what numbers can be, and shows what came of it.
///
/// The variable ATRIUM_NUMBERS has the number of cases.
@Suite("Numbers of a server at their bounds")
@MainActor
struct ServedNumberTests {
    private nonisolated static let cases =
        ProcessInfo.processInfo.environment["ATRIUM_NUMBERS"].flatMap { Int($0) } ?? 10_000

    private nonisolated static let bounds = [
        "-9223372036854775808", "-9223372036854775807", "-9007199254740993", "-4294967297", "-1", "0", "1",
        "2", "20", "150", "151", "500", "100000", "100001", "1000000000", "1000000001", "2147483648",
        "9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775807",
        "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e18", "1e30", "1e400", "-0",
        "0.5", "1.0", "4.9e-324",
    ]

    /// A screen, its answers with `#` for each number, and the actions that ask for more.
    private struct Served: Sendable {
        let link: String
        let answers: [String: String]
        var actions: [String] = []
    }

    private nonisolated static let entity =
        #"{"id":#,"name":"a","createdAt":"2026-01-01T00:00:00Z","updatedAt":"9999-12-31T23:59:59Z"}"#
    private nonisolated static let user = #"{"id":"u1","email":"a@example.com","status":"active"}"#
    private nonisolated static let profile =
        #"{"firstName":"A","lastName":"B","age":#,"bio":null,"version":#}"#

    private nonisolated static let served = [
        Served(
            link: "entities",
            answers: [
                "v1/entities": #"{"rows":[\#(entity),\#(entity)],"total":#,"page":#,"size":#}"#,
                "v1/entities/:id": entity,
            ], actions: ["next", "previous", "more", "refresh"]),
        Served(
            link: "entities?page=3&size=2",
            answers: ["v1/entities": #"{"rows":[],"total":#,"page":#,"size":#}"#],
            actions: ["previous", "more"]),
        Served(link: "entities/1", answers: ["v1/entities/:id": entity], actions: ["refresh"]),
        Served(
            link: "entities/categories",
            answers: ["v1/categories": #"{"rows":[{"name":"a","count":#}],"total":#}"#]),
        Served(
            link: "users",
            answers: ["v1/users": #"{"rows":[\#(user)],"total":#}"#],
            actions: ["next", "previous"]),
        Served(
            link: "users/u1",
            answers: ["v1/users/:id": user, "v1/users/:id/profile": profile]),
        Served(
            link: "profile", answers: ["v1/users/me": user, "v1/users/:id/profile": profile],
            actions: ["refresh"]),
        Served(
            link: "profile/notifications",
            answers: [
                "v1/users/me": user,
                "v1/users/:id/notifications":
                    #"{"rows":[{"id":#,"kind":"profileUpdated","createdAt":"2026-01-01T00:00:00Z"}]}"#,
            ]),
    ]

    @Test("None traps, and none out of its limits is shown", arguments: served.indices)
    func shown(_ index: Int) async throws {
        let served = Self.served[index]
        let numbers = Draws(seed: UInt64(index))
        let api = AnsweringAPIClient(tokens: AccessTokens(id: "test-token", accessToken: "a")) { call in
            let path = call.split(separator: " ").dropFirst().first?.split(separator: "?").first ?? ""
            let parts = path.split(separator: "/").enumerated().map { offset, part in
                offset == 2 && part != "me" ? ":id" : String(part)
            }
            guard let answer = served.answers[parts.joined(separator: "/")] ?? served.answers[String(path)]
            else { throw APIError.noServer }
            return numbers.fill(answer, from: Self.bounds)
        }
        var loaded = 0
        for _ in 0..<max(1, Self.cases / Self.served.count) {
            loaded += try await show(served, api) ? 1 : 0
        }
        #expect(loaded > 0, "\(served.link) was never shown.")
    }

    /// Shows a screen and performs its actions; returns whether it was loaded.
    private func show(_ served: Served, _ api: AnsweringAPIClient) async throws -> Bool {
        let user = SessionUser(id: "u1", email: "a@example.com", displayName: "A")
        let container = try TestContainer(
            SessionModule.self, UserProfileModule.self, EntitiesModule.self, session: TestSession(user))
        try container.override((any RecordService<Entity>).self) {
            ResourceRecordService<Entity>(
                api: api, path: "v1/entities", valuePaths: ["category": "v1/categories"], hasFiles: true)
        }
        try container.override((any UserProfileService).self) { LiveUserProfileService(api: api) }
        try container.override((any RecordService<DirectoryUser>).self) { LiveUserDirectory(api: api) }
        try container.override((any NotificationService).self) { LiveNotificationService(api: api) }
        let view = try container.view(at: served.link)
        var isLoaded = false
        do {
            try await view.load()
            isLoaded = true
        } catch {
            #expect(error is DecodingError || error is any ExplainedError, "\(served.link): \(error)")
        }
        try check(view.body, served.link)
        for name in served.actions {
            guard let action = view.actions.first(where: { $0.name == name }) else { continue }
            _ = try? await action.perform(ArgumentValues([:]))
            try check(view.body, "\(served.link) \(name)")
        }
        return isLoaded
    }

    /// All numbers but ids in what is shown to programs are within their limits.
    private func check(_ content: Content, _ what: String) throws {
        _ = TextRenderer(width: 80, style: TextStyle(isColored: false)).render(content)
        try check(.object(content.json), what)
    }

    private func check(_ value: JSONValue, _ what: String) throws {
        switch value {
        case .integer(let number): try #require((0...1 << 53).contains(number), "\(what) shows \(number)")
        case .array(let values): for value in values { try check(value, what) }
        case .object(let object):
            for member in object.members where member.key != "id" {
                try check(member.value, "\(what), \(member.key),")
            }
        default: break
        }
    }
}

/// Draws the numbers of answers.
private final class Draws: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    /// A text with a number for each `#`; most are 1, so that a few at their bounds meet.
    func fill(_ text: String, from bounds: [String]) -> String {
        let parts = text.split(separator: "#", omittingEmptySubsequences: false)
        return generator.withLock { generator in
            parts.dropFirst().reduce(into: String(parts[0])) { filled, part in
                let isUsual = Int.random(in: 0..<3, using: &generator) > 0
                filled += (isUsual ? "1" : bounds.randomElement(using: &generator) ?? "1") + part
            }
        }
    }
}
