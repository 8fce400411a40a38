import AtriumKit
import AtriumTesting
import Testing

@testable import Entities

@Suite("Mock entity service")
struct MockEntityServiceTests {
    private let clock = FixedClock()

    @Test("It starts with more than forty entities in several categories")
    func usualData() async throws {
        let service = MockEntityService(clock: clock)

        let page = try await service.page(EntityQuery(size: 500))

        #expect(page.total == 46)
        #expect(Set(page.rows.map(\.category)).count == 9)
        #expect(try await service.create(EntityDraft(name: "x")).id == 47)
    }

    @Test(
        "The data of every scenario keeps the rules", arguments: [MockEntityData.usual, MockEntityData.edge])
    func rules(_ entities: [Entity]) {
        for entity in entities {
            let draft = EntityDraft(name: entity.name, category: entity.category, notes: entity.notes)
            #expect(draft.validate().isEmpty)
        }
    }

    @Test("Two services know nothing of each other")
    func independence() async throws {
        let (first, second) = (MockEntityService(clock: clock), MockEntityService(clock: clock))

        _ = try await first.delete(1)

        #expect(try await second.entity(1).name == "Blue lamp")
    }

    @Test("Scenario error fails with the service's own error")
    func error() async {
        let service = MockEntityService(scenario: MockScenario(.error), clock: clock)

        await #expect(throws: EntityError.unavailable) { try await service.page(EntityQuery()) }
        await #expect(throws: EntityError.unavailable) { try await service.categories(CategoryQuery()) }
        await #expect(throws: EntityError.unavailable) { try await service.entity(1) }
        await #expect(throws: EntityError.unavailable) { try await service.create(EntityDraft(name: "x")) }
        await #expect(throws: EntityError.unavailable) {
            try await service.update(1, EntityChanges(name: "x"))
        }
        await #expect(throws: EntityError.unavailable) { try await service.delete(1) }
    }

    @Test("Cancelling ends the wait of scenario slow, and nothing is created")
    func slow() async {
        let service = MockEntityService(
            scenario: MockScenario(.slow, delay: .seconds(3_600)), clock: clock, entities: [])
        let task = Task { try await service.create(EntityDraft(name: "x")) }

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
