import AtriumTesting
import TestSupport
import Testing

@testable @_spi(Host) import AtriumKit
@testable import Entities

@Suite("Mock entity service")
struct MockEntityServiceTests {
    private let clock = FixedClock()

    @Test("The mock starts with 46 entities in several categories")
    func usualData() async throws {
        let service = mockEntityService(clock: clock)

        let page = try await service.page(EntityQuery(size: 500))

        #expect(page.total == 46)
        #expect(Set(page.rows.map(\.category)).count == 9)
        #expect(try await service.create(EntityDraft(name: "x")).id == 47)
    }

    @Test(
        "The data of each scenario is valid", arguments: [MockEntityData.usual, MockEntityData.edge])
    func rules(_ entities: [Entity]) {
        for entity in entities {
            let draft = EntityDraft(name: entity.name, category: entity.category, notes: entity.notes)
            #expect(draft.validate().isEmpty)
        }
    }

    @Test("Two mock services do not share entities")
    func independence() async throws {
        let (first, second) = (mockEntityService(clock: clock), mockEntityService(clock: clock))

        _ = try await first.delete(1)
        let created = try await first.create(EntityDraft(name: "Red lamp"))

        #expect(try await first.record(created.id).name == "Red lamp")
        #expect(try await second.record(1).name == "Blue lamp")
        await #expect(throws: ServiceError.self) { try await second.record(created.id) }
    }

    @Test("In scenario error, every call throws the service's error")
    func error() async {
        let service = mockEntityService(scenario: MockScenario(.error), clock: clock)

        await #expect(throws: ServiceError.unavailable) { try await service.page(EntityQuery()) }
        await #expect(throws: ServiceError.unavailable) { try await service.values(CategoryQuery()) }
        await #expect(throws: ServiceError.unavailable) { try await service.record(1) }
        await #expect(throws: ServiceError.unavailable) { try await service.create(EntityDraft(name: "x")) }
        await #expect(throws: ServiceError.unavailable) {
            try await service.update(1, EntityChanges(name: "x"))
        }
        await #expect(throws: ServiceError.unavailable) { try await service.delete(1) }
    }

    @Test("Cancelling a call ends the delay of scenario slow")
    func slow() async {
        let service = mockEntityService(
            scenario: MockScenario(.slow, delay: .seconds(3_600)), clock: clock, entities: [])
        let task = Task { try await service.create(EntityDraft(name: "x")) }

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Every call is recorded with its arguments")
    func calls() async throws {
        let behavior = MockBehavior("EntityService", scenario: MockScenario(), clock: clock) { _ in }
        let service = SampleRecordService(
            MockEntityData.usual, edge: MockEntityData.edge, behavior: behavior, clock: clock)
        let folder = TemporaryFolder()
        let file = EntityFile(path: folder.path("a.csv"), format: .csv)

        _ = try await service.page(EntityQuery(page: 2, sort: .newest, search: "lamp"))
        _ = try await service.record(1)
        _ = try await service.values(CategoryQuery(limit: 3))
        _ = try await service.create(EntityDraft(name: "x", notes: "y"))
        _ = try await service.update(1, EntityChanges(category: ""))
        _ = try await service.delete(1)
        _ = try await service.exportEntities(to: file) { _ in }
        _ = try await service.importEntities(from: file) { _ in }

        #expect(
            behavior.calls.map(\.name) == [
                "page", "record", "values", "create", "update", "delete", "all",
                "createAll",
            ])
        #expect(
            behavior.calls.map(\.arguments) == [
                ["page": "2", "size": "20", "sort": "newest", "search": "lamp"], ["id": "1"],
                ["field": "category", "sort": "name", "limit": "3"], ["name": "x", "notes": "y"],
                ["id": "1", "category": ""],
                ["id": "1"], [:], [:],
            ])
    }

    @Test("The scenario can change at run time; edge has its own entities")
    func switching() async throws {
        let behavior = MockBehavior("EntityService", scenario: MockScenario(), clock: clock) { _ in }
        let service = SampleRecordService(
            MockEntityData.usual, edge: MockEntityData.edge, behavior: behavior, clock: clock)
        _ = try await service.delete(1)

        behavior.scenario = MockScenario(.edge)
        #expect(try await service.page(EntityQuery()).total == 12)
        _ = try await service.create(EntityDraft(name: "only at the edge"))
        behavior.scenario = MockScenario(.error)
        await #expect(throws: ServiceError.unavailable) { try await service.page(EntityQuery()) }
        behavior.scenario = MockScenario(.slow)

        #expect(try await service.page(EntityQuery()).total == 45)
        #expect(try await service.page(EntityQuery(search: "only at")).total == 0)
        behavior.scenario = MockScenario(.edge)
        #expect(try await service.page(EntityQuery()).total == 13)
    }

    @Test("An injected failure affects one call")
    func stubbed() async throws {
        let behavior = MockBehavior("EntityService", scenario: MockScenario(), clock: clock) { _ in }
        let service = SampleRecordService(
            MockEntityData.usual, edge: MockEntityData.edge, behavior: behavior, clock: clock)

        behavior.failNext(with: ServiceError.notFound(3))

        await #expect(throws: ServiceError.notFound(3)) { try await service.page(EntityQuery()) }
        #expect(try await service.page(EntityQuery()).total == 46)
    }
}
