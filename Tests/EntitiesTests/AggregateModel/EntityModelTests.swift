import AtriumTesting
import Testing

@testable import AtriumKit
@testable import Entities

@MainActor
@Suite("Entity aggregate model", .timeLimit(.minutes(5)))
struct EntityModelTests {
    private let world = ModelWorld([.sample(1, "a"), .sample(2, "b"), .sample(3, "d")])
    private var model: EntityModel { world.model }

    // MARK: - Optimistic changes

    @Test("A new entity is shown at once, sorted and marked as pending, then as the service returns it")
    func create() async throws {
        try await world.show()

        try await world.begin { _ = try? await model.create(EntityDraft(name: "c")) }

        #expect(world.names == ["a", "b", "c", "d"])
        #expect(world.marks == ["", "", "creating", ""])
        #expect(world.listing.rows[2].id < 0)
        #expect(world.listing.total == 4)
        try await world.answer("create c")
        #expect(world.listing.rows.map(\.id) == [1, 2, 4, 3])
        #expect(world.listing.rows[2] == EntityRow(try #require(world.service.truth(4))))
        #expect(world.listing.total == 4)
    }

    @Test("A failed creation removes the row and records the reason; the next attempt clears the reason")
    func createFails() async throws {
        try await world.show()
        world.service.fail("create c")
        var error: (any Error)?

        let creation = try await world.begin {
            do { _ = try await model.create(EntityDraft(name: "c")) } catch let thrown { error = thrown }
        }
        try await world.answer("create c")
        await creation.value

        #expect(error as? ServiceError == .unavailable)
        #expect(world.names == ["a", "b", "d"])
        #expect(world.listing.total == 3)
        #expect(model.failure?.reason.message == "The entity service does not answer.")
        #expect(model.failure?.wasAwaited == true)
        try await world.begin { _ = try? await model.update(1, EntityChanges(name: "A")) }
        #expect(model.failure == nil)
        try await world.interleaver.finish()
    }

    @Test("An update is shown at once in the same row, and sorted once it succeeds")
    func update() async throws {
        try await world.show()

        try await world.begin { _ = try? await model.update(1, EntityChanges(name: "z")) }

        #expect(world.names == ["z", "b", "d"])
        #expect(world.marks == ["updating", "", ""])
        try await world.answer("update 1")
        #expect(world.names == ["b", "d", "z"])
        #expect(world.marks == ["", "", ""])
    }

    @Test("Changes to one entity are sent one at a time, in the order of the requests")
    func order() async throws {
        try await world.show()

        for name in ["x", "y"] {
            try await world.begin { _ = try? await model.update(1, EntityChanges(name: name)) }
        }
        try await world.begin { _ = try? await model.delete(1) }
        try await world.begin { _ = try? await model.update(2, EntityChanges(name: "q")) }

        #expect(world.names == ["q", "d"])
        #expect(world.interleaver.waiting == ["update 1", "update 2"])
        try await world.answer("update 1")
        #expect(world.interleaver.waiting == ["update 2", "update 1"])
        try await world.interleaver.finish()
        #expect(
            world.service.calls.filter { $0.hasSuffix(" 1") } == [
                "page 1", "update 1", "update 1", "delete 1",
            ])
        #expect(world.names == ["d", "q"])
    }

    @Test("A failed change does not undo later changes to the same entity")
    func rollbackInTheMiddle() async throws {
        try await world.show()
        world.service.fail("update 1")

        try await world.begin { _ = try? await model.update(1, EntityChanges(name: "x")) }
        try await world.begin { _ = try? await model.update(1, EntityChanges(category: "seats")) }
        #expect(world.listing.rows.first?.record.name == "x")
        try await world.answer("update 1")

        #expect(world.listing.rows.first?.record.name == "a")
        #expect(world.listing.rows.first?.record.category == "seats")
        #expect(world.listing.rows.first?.status == .updating)
        try await world.interleaver.finish()
        #expect(world.service.truth(1)?.category == "seats")
    }

    @Test("With policy 'confirmed', an entity stays listed and marked until its deletion succeeds")
    func confirmedDeletion() async throws {
        try await world.show()
        world.service.fail("delete 2")

        try await world.begin { _ = try? await model.delete(2, optimistically: false) }
        #expect(world.names == ["a", "b", "d"])
        #expect(world.marks == ["", "deleting", ""])
        try await world.answer("delete 2")
        #expect(world.names == ["a", "b", "d"])
        #expect(world.marks == ["", "", ""])

        try await world.begin { _ = try? await model.delete(2, optimistically: false) }
        try await world.answer("delete 2")
        #expect(world.names == ["a", "d"])
    }

    @Test("An import shows nothing before it is done; then every list shows it")
    func importing() async throws {
        try await world.show()
        let file = try threeEntities()

        try await world.beginOther { _ = try? await model.importAll(from: file) { _ in } }
        #expect(world.names == ["a", "b", "d"])
        try await world.interleaver.finish()

        #expect(world.listing.window?.isExact == true)
        #expect(world.listing.total == 6)
        #expect(world.analytics.events.map(\.name) == ["entitiesImported"])
    }

    @Test("Rules are checked before a change is shown or sent")
    func rules() async {
        await #expect(throws: ValidationError.self) { try await model.create(EntityDraft(name: " ")) }
        await #expect(throws: ValidationError.self) { try await model.update(1, EntityChanges(name: "")) }
        await #expect(throws: ServiceError.nothingToChange(Entity.self, 1)) {
            try await model.update(1, EntityChanges())
        }

        #expect(model.failure == nil)
        #expect(model.pending.isEmpty)
        #expect(world.service.calls == [])
    }

    // MARK: - Commands that end early

    @Test("A cancelled command ends at once; its change continues and is shown")
    func cancelled() async throws {
        try await world.show()
        var error: (any Error)?
        let command = try await world.begin {
            do { _ = try await model.create(EntityDraft(name: "c")) } catch let thrown { error = thrown }
        }

        try await world.interleaver.cancel(command)

        #expect(error is CancellationError)
        #expect(world.marks == ["", "", "creating", ""])
        try await world.answer("create c")
        #expect(world.listing.rows.map(\.id) == [1, 2, 4, 3])
        #expect(model.pending.isEmpty)
    }

    @Test("A change that fails after its command was cancelled is reported as not awaited")
    func unawaitedFailure() async throws {
        try await world.show()
        world.service.fail("update 1")
        let command = try await world.begin { _ = try? await model.update(1, EntityChanges(name: "x")) }

        try await world.interleaver.cancel(command)
        try await world.answer("update 1")

        #expect(world.names == ["a", "b", "d"])
        #expect(model.failure?.wasAwaited == false)
        #expect(
            model.failure?.message
                == "The entity could not be changed: The entity service does not answer.")
    }

    // MARK: - Observers

    @Test("Every screen shows a pending change, and observers are notified once when it settles")
    func observers() async throws {
        try await world.show()
        let other = EntityListing(model: model)
        try await begin { try? await other.show(EntityQuery(size: 2, sort: .nameDescending)) }
        let record = RecordViewModel<Entity>(id: 1, model: model, navigator: RecordingNavigator())
        try await begin { try? await record.load() }

        try await world.begin { _ = try? await model.update(1, EntityChanges(name: "z")) }
        #expect(record.row?.record.name == "z")
        #expect(world.settled == [])
        try await world.answer("update 1")

        let entity = try #require(world.service.truth(1))
        #expect(world.settled == [SettledChange<Entity>(id: 1, change: .updated(entity))])
        #expect(record.row == EntityRow(entity))
        #expect(world.names == ["b", "d", "z"])
        #expect(other.rows.map(\.record.name) == ["z", "d", "b"].prefix(other.rows.count).map { $0 })
    }

    @Test("The model does not retain a record that no screen shows")
    func released() async throws {
        var record: RecordViewModel<Entity>? = RecordViewModel<Entity>(
            id: 1, model: model, navigator: RecordingNavigator())
        let count = model.settled.count
        weak let released = record

        record = nil

        #expect(released == nil)
        #expect(model.settled.count == count - 1)
    }

    @Test("A late answer to a creation does not undo a newer update")
    func lateAnswer() async throws {
        try await world.show()
        try await world.begin { _ = try? await model.create(EntityDraft(name: "c")) }
        try await world.interleaver.open("create c")
        try await world.begin { try? await world.listing.loadAll(reloads: true) }
        try await world.answer("page 1")
        try await world.begin { _ = try? await model.update(4, EntityChanges(name: "e")) }
        try await world.answer("update 4")

        try await world.interleaver.open("create c answered")

        #expect(world.names == ["a", "b", "d", "e"])
        #expect(world.marks == ["", "", "", ""])
    }

    @Test("An entity that is updated while it loads is shown with the update")
    func recordRace() async throws {
        let record = RecordViewModel<Entity>(id: 1, model: model, navigator: RecordingNavigator())
        try await world.beginOther { try? await record.load() }
        try await world.interleaver.open("entity 1")
        try await world.begin { _ = try? await model.update(1, EntityChanges(name: "z")) }
        try await world.answer("update 1")

        try await world.interleaver.open("entity 1 answered")

        #expect(record.row?.record.name == "z")
    }

    private func begin(_ operation: @escaping @MainActor () async -> Void) async throws {
        try await world.beginOther(operation)
        try await world.interleaver.finish()
    }
}
