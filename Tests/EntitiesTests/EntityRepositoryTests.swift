import AtriumTesting
import Testing

@testable import AtriumKit
@testable import Entities

@MainActor
@Suite("Entity repository")
struct EntityRepositoryTests {
    private let analytics = RecordingAnalytics()
    private let service = RecordingEntityService(mockEntityService(clock: FixedClock()))

    private var repository: EntityRepository { EntityRepository(service, analytics: analytics) }

    @Test("Each successful change is reported once to analytics")
    func events() async throws {
        let entity = try await repository.create(EntityDraft(name: "x"))
        _ = try await repository.update(entity.id, EntityChanges(name: "y"))
        _ = try await repository.delete(entity.id)

        #expect(analytics.events.map(\.name) == ["entityCreated", "entityUpdated", "entityDeleted"])
    }

    @Test("Invalid requests do not reach the service")
    func rules() async {
        await #expect(throws: ValidationError.self) { try await repository.shown(EntityQuery(page: 0)) }
        await #expect(throws: ValidationError.self) {
            try await repository.shown(CategoryQuery(limit: 0))
        }
        await #expect(throws: ValidationError.self) { try await repository.create(EntityDraft(name: "")) }
        await #expect(throws: ValidationError.self) {
            try await repository.update(1, EntityChanges(name: ""))
        }
        await #expect(throws: ServiceError.nothingToChange(Entity.self, 1)) {
            try await repository.update(1, EntityChanges())
        }

        #expect(service.calls.isEmpty)
        #expect(analytics.events.isEmpty)
    }

    @Test("A category is found in any case and returned in its stored spelling")
    func category() async throws {
        #expect(try await repository.spelling(of: " SEATS ", in: Entity.fields.filtered[0]) == "seats")
    }

    @Test(
        "An unknown category is an error",
        arguments: ["", "  ", "sea", "a\nb", String(repeating: "x", count: 101)])
    func noCategory(_ name: String) async {
        let error = await #expect(throws: ServiceError.self) {
            try await repository.spelling(of: name, in: Entity.fields.filtered[0], nearest: "seats")
        }
        #expect(error?.code == .notFound && error?.hint == "Did you mean 'seats'?")
        #expect(error?.message == "No entity has the category '\(name.excerpt)'.")
    }

    @Test("Failed changes are not reported to analytics")
    func failures() async {
        await #expect(throws: ServiceError.notFound(99)) {
            try await repository.update(99, EntityChanges(name: "x"))
        }
        await #expect(throws: ServiceError.notFound(99)) { try await repository.delete(99) }

        #expect(service.calls == ["update", "delete"])
        #expect(analytics.events.isEmpty)
    }
}
