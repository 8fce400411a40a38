import AtriumNetworking
import TestSupport
import Testing

@testable import AtriumKit
@testable import Entities

/// The live service with a faulty reference server.
@Suite("Live entity service: server faults", .timeLimit(.minutes(5)))
struct LiveEntityFaultTests {
    private let folder = TemporaryFolder()

    @Test("A change whose answer was lost is retried and made once")
    func lost() async throws {
        let service = try await ServedEntityService()
        let file = try EntityFile(folder.write("name\nb\nc\n".utf8, to: "a.csv"))

        try service.server.add(.lost, on: "/v1/entities", method: "POST")
        let created = try await service.create(EntityDraft(name: "a"))
        try service.server.add(.lost, on: "/v1/entities", method: "POST")
        let imported = try await service.importEntities(from: file) { _ in }
        try service.server.add(.lost, on: "/v1/entities", method: "PATCH")
        let updated = try await service.update(2, EntityChanges(notes: "new"))
        try service.server.add(.lost, on: "/v1/entities", method: "DELETE")
        let deleted = try await service.delete(3)

        #expect(created.id == 1)
        #expect(imported == 2)
        #expect(updated.notes == "new")
        #expect(deleted?.name == "c")
        #expect(try await service.names(EntityQuery()) == ["a", "b"])
    }

    @MainActor
    @Test("If all answers to a change are lost, its outcome is unknown and it was made once")
    func allLost() async throws {
        let service = try await ServedEntityService()
        let repository = EntityRepository(service)
        try service.server.add(.lost, on: "/v1/entities", method: "POST", count: nil)

        let error = await #expect(throws: ServiceError.self) {
            try await repository.create(EntityDraft(name: "a"))
        }

        #expect(error?.code == .unknownOutcome)
        #expect(error?.hint == "entities list --refresh")
        #expect(try await repository.shown(EntityQuery()).value.rows.map(\.name) == ["a"])
    }

    @Test(
        "A temporary fault is retried without an error",
        arguments: [ReferenceServer.Fault.close, .unauthorized, .half])
    func passing(_ fault: ReferenceServer.Fault) async throws {
        let service = try await ServedEntityService()
        _ = try await service.create(EntityDraft(name: "a"))

        try service.server.add(fault, on: "/v1/entities", method: "GET")

        #expect(try await service.names(EntityQuery()) == ["a"])
    }

    @Test(
        "An invalid answer is an error, and the next request works",
        arguments: [ReferenceServer.Fault.brokenJSON, .wrongType, .errorCode])
    func wrong(_ fault: ReferenceServer.Fault) async throws {
        let service = try await ServedEntityService()
        try service.server.add(fault, on: "/v1/entities", method: "GET")

        let error = await #expect(throws: APIError.self) { try await service.page(EntityQuery()) }

        #expect(error?.code == (fault == .errorCode ? .serverError : .invalidResponse))
        #expect(error?.errorCode == (fault == .errorCode ? 4711 : nil))
        #expect(try await service.page(EntityQuery()).total == 0)
    }

    @Test("Reads are not answered from the API client's cache")
    func fresh() async throws {
        let service = try await ServedEntityService()
        let entity = try await service.create(EntityDraft(name: "a", category: "b"))

        for _ in 1...2 {
            _ = try await service.page(EntityQuery())
            _ = try await service.record(entity.id)
            _ = try await service.values(CategoryQuery())
        }

        let metrics = await service.api.metrics
        for name in ["GET v1/entities", "GET v1/entities/:id", "GET v1/categories"] {
            let counts = try #require(metrics.endpoints.first { "\($0.name)" == name })
            #expect(counts.calls == 2 && counts.hits == 0, "\(name)")
        }
    }

    @Test("A stopped server is unavailable, and files stay unchanged")
    func gone() async throws {
        let service = try await ServedEntityService()
        let path = folder.write("name\nb\n".utf8, to: "a.csv")
        service.server.kill()

        let errors = [
            await #expect(throws: ServiceError.self) { try await service.page(EntityQuery()) },
            await #expect(throws: ServiceError.self) { try await service.record(1) },
            await #expect(throws: ServiceError.self) { try await service.create(EntityDraft(name: "a")) },
            await #expect(throws: ServiceError.self) {
                try await service.importEntities(from: EntityFile(path)) { _ in }
            },
            await #expect(throws: ServiceError.self) {
                try await service.exportEntities(to: replacing(path)) { _ in }
            },
        ]

        #expect(errors.allSatisfy { $0?.code == .serviceUnavailable && $0?.cause is APIError })
        #expect(contents(path) == Array("name\nb\n".utf8))
        #expect(folder.names() == ["a.csv"])
    }

    @Test(
        "An incomplete export leaves the existing file unchanged",
        arguments: [ReferenceServer.Fault.half, .close, .brokenJSON])
    func halfExport(_ fault: ReferenceServer.Fault) async throws {
        let service = try await ServedEntityService()
        for name in ["a", "b", "c"] { _ = try await service.create(EntityDraft(name: name)) }
        let path = folder.write("before".utf8, to: "a.csv")
        try service.server.add(fault, on: "/v1/entities/export", count: nil)

        await #expect(throws: (any Error).self) {
            try await service.exportEntities(to: replacing(path)) { _ in }
        }

        #expect(contents(path) == Array("before".utf8))
        #expect(folder.names() == ["a.csv"])
    }

    @Test("A guest can read; a change without a session suggests signing in")
    func signedOut() async throws {
        let service = try await ServedEntityService()
        _ = try await service.create(EntityDraft(name: "a"))
        try await service.api.use(nil)

        #expect(try await service.names(EntityQuery()) == ["a"])
        let error = await #expect(throws: APIError.self) { try await service.create(EntityDraft(name: "b")) }
        #expect(error?.code == .notAuthenticated)
        #expect(error?.hint == "session sign-in --email EMAIL")
        #expect(try await service.page(EntityQuery()).total == 1)
    }
}
