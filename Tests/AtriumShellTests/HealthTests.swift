@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("Command 'health'")
@MainActor
struct HealthTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    private func add(
        _ module: String, _ name: String, _ check: @escaping @MainActor () async throws -> String
    )
        throws
    {
        try shop.add(module) { registry in
            registry.contribute(to: .healthChecks) { _ in HealthCheck(name, check: check) }
        }
    }

    @Test("Without a health check the list is empty, with a notice")
    func none() async throws {
        #expect(
            try await shop.json("health")
                == #"{"rows":[],"notices":[{"kind":"information","#
                + #""text":"No active module has a health check."}]}"#)
    }

    @Test("Each check is listed with its result, sorted by module")
    func healthy() async throws {
        try add("Stock", "shelves") { "7 shelves" }
        try add("Bank", "vault") { "closed" }

        #expect(
            try await shop.json("health")
                == #"{"rows":[{"module":"Bank","check":"vault","works":true,"detail":"closed"},"#
                + #"{"module":"Stock","check":"shelves","works":true,"detail":"7 shelves"}]}"#)
    }

    @Test("A failed check is reported with its reason, and the other checks run nevertheless")
    func unhealthy() async throws {
        try add("Bank", "vault") { throw OutOfStock() }
        try add("Stock", "shelves") { "7 shelves" }

        let error = try #require(try await shop.failure("health") as? ShellError)

        #expect(error.code == "unhealthy")
        #expect(error.message == "A health check failed.")
        #expect(ExitStatus(error) == .failed)
        #expect(
            error.details?.json["rows"] == [
                ["module": "Bank", "check": "vault", "works": false, "detail": "There is none left."],
                ["module": "Stock", "check": "shelves", "works": true, "detail": "7 shelves"],
            ])
    }

    @Test("Failed checks are counted, and an error without a message is reported by its type")
    func several() async throws {
        try add("Bank", "vault") { throw OutOfStock() }
        try add("Stock", "shelves") { throw PlainFailure() }

        let error = try #require(try await shop.failure("health") as? ShellError)

        #expect(error.message == "2 health checks failed.")
        #expect(
            error.details?.json["rows"]?.elements?.last == [
                "module": "Stock", "check": "shelves", "works": false,
                "detail": "An unexpected error of type 'PlainFailure' occurred.",
            ])
    }

    @Test("A cancelled check cancels the command, and is not reported as failed")
    func cancelled() async throws {
        try add("Bank", "vault") { throw CancellationError() }

        let error = try await shop.failure("health")

        #expect(error?.code == .cancelled)
        #expect(error.map(ExitStatus.init) == .cancelled)
    }

    @Test("A check that can't be built is listed as failed, with the reason")
    func unbuildable() async throws {
        try shop.add("Bank") { registry in
            registry.contribute(to: .healthChecks) { context in
                _ = try context.repository(RecipeRepository.self)
                return HealthCheck("vault") { "closed" }
            }
        }

        let error = try await shop.failure("health")

        #expect(error?.code == "unhealthy")
        let checks = (error as? ShellError)?.details?.json["rows"]?.elements
        #expect(
            checks?.last == [
                "module": "Bank", "check": "its health check", "works": false,
                "detail":
                    "No active module registers RecipeRepository as a repository: HealthCheck 'health checks, Bank 1' → RecipeRepository.",
            ])
    }
}
