import AtriumTesting
import TestSupport
import Testing

@testable @_spi(Host) import AtriumKit
@testable import Entities

@MainActor
@Suite("Deleting several entities", .timeLimit(.minutes(5)))
struct EntityDeletionsTests {
    private let service = FailingEntityService(mockEntityService(clock: FixedClock()))

    private func view(
        _ service: any RecordService<Entity>, _ place: EntityList = EntityList(size: 20, sort: .oldest)
    ) -> EntityListView {
        EntityListView(
            viewModel: EntityListViewModel(
                destination: place, model: EntityModel(service), navigator: RecordingNavigator(),
                viewport: ViewportMonitor()))
    }

    private func delete(_ ids: [Int], on view: EntityListView) async throws -> ActionResult {
        try await perform("delete", ["ids": ids.map { "\($0)" }.joined(separator: "\0")], on: view)
    }

    private func perform(
        _ action: String, _ values: [String: String] = [:], on view: EntityListView
    ) async throws -> ActionResult {
        try await #require(view.actions.first { $0.name == action }).perform(ArgumentValues(values))
    }

    @Test("All given entities are deleted, duplicates once, and the list fills up")
    func all() async throws {
        let view = view(service)
        try await view.load()

        let result = try await delete([3, 1, 3], on: view)

        #expect(result.message == "Deleted 2 entities.")
        #expect(view.viewModel.rows.map(\.id) == [2] + Array(4...22))
        #expect(view.viewModel.total == 44)
        #expect(try await delete([2], on: view).message == "Deleted 'Desk lamp'.")
    }

    @Test("Failed deletions stop no others; the error lists them in order")
    func some() async throws {
        let view = view(service)

        let error = await #expect(throws: ServiceError.self) {
            try await delete([99, 1, 98] + Array(2...12), on: view)
        }

        #expect(error?.code == "notAllDeleted")
        #expect(error?.category == .failure)
        #expect(
            error?.message == """
                12 of 14 entities were deleted; not deleted: 99 (There is no entity 99.), \
                98 (There is no entity 98.).
                """)
        #expect(try await service.page(EntityQuery(sort: .oldest)).rows.first?.id == 13)
        #expect(view.viewModel.rows.first?.id == 13)
    }

    @Test("Every invalid id is reported, and nothing is deleted", arguments: ["x", "0", "-1", "1.5"])
    func wrong(_ text: String) async throws {
        let error = await #expect(throws: ValidationError.self) {
            try await perform("delete", ["ids": "1\0\(text)\0y"], on: view(service))
        }

        #expect(error?.message == "'\(text)' is not the id of an entity. 'y' is not the id of an entity.")
        #expect(try await service.page(EntityQuery()).total == 46)
    }

    @Test("If the service is unreachable, the remaining deletions are not tried")
    func offline() async throws {
        let model = EntityModel(service)
        service.fail(with: APIError.requestFailed(.serverUnreachable, "The server can't be reached."))

        let deletions = await model.delete(Array(1...20)) { _ in }

        let tried = deletions.states.filter { if case .notTried = $0.state { false } else { true } }
        #expect(tried.map(\.id) == Array(1...8))
        let error = #expect(throws: ServiceError.self) { try deletions.summary() }
        #expect(error?.code == "notAllDeleted")
        #expect(error?.message.hasPrefix("0 of 20 entities were deleted; not deleted: 1 (The entity") == true)
        #expect(
            error?.message.hasSuffix("; not tried: 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20.") == true)
        #expect((error?.cause as? ServiceError)?.code == .serviceUnavailable)
        #expect(model.pending.isEmpty)
    }

    @Test("Cancelling starts no more deletions; those that were sent are listed as not known")
    func cancelled() async throws {
        let barrier = Barrier()
        let service = RecordingEntityService(mockEntityService(clock: FixedClock())) { await barrier.pass() }
        let model = EntityModel(service)
        let command = Task { await model.delete(Array(1...12)) { _ in } }
        await barrier.arrived(8)

        command.cancel()
        let deletions = await command.value

        #expect(deletions.isCancelled)
        let error = #expect(throws: ServiceError.self) { try deletions.summary() }
        #expect(error?.code == .unknownOutcome && error?.category == .cancelled)
        #expect(
            error?.message == """
                At least 0 of 12 entities were deleted; not known: 1, 2, 3, 4, 5, 6, 7, 8; \
                not tried: 9, 10, 11, 12.
                """)
        #expect(model.pending.count == 8)
        await barrier.open()
        await eventually("no change is pending") { model.pending.isEmpty }
        #expect(service.calls.count == 8)
        #expect(try await service.page(EntityQuery(sort: .oldest)).rows.first?.id == 9)
    }

    @Test("Of deletions whose answers are lost it is not known whether they were made")
    func lost() async throws {
        let view = view(service)
        service.fail(
            with: APIError.requestFailed(.connectionLost, "Lost.", hint: "Enter the same command again."))

        let error = await #expect(throws: ServiceError.self) { try await delete([1, 2], on: view) }

        #expect(error?.code == .unknownOutcome && error?.category == .failure)
        #expect(error?.hint == "entities list --refresh")
        #expect(error?.message.hasPrefix("At least 0 of 2 entities were deleted; not known: 1 (") == true)
        #expect(error?.message.contains("not deleted") == false)
    }

    @Test("At most eight deletions run at the same time, and each is shown at once")
    func width() async throws {
        let barrier = Barrier()
        let service = RecordingEntityService(mockEntityService(clock: FixedClock())) { await barrier.pass() }
        let model = EntityModel(service)
        let command = Task { await model.delete(Array(1...40)) { _ in } }
        await barrier.arrived(8)
        #expect(model.pending.map(\.isOptimistic) == Array(repeating: true, count: 8))

        await barrier.open()
        let deletions = await command.value

        #expect(deletions.deleted.map(\.id) == Array(1...40))
        #expect(await barrier.mostWaiting == 8)
    }

    @Test("'delete-all' deletes the whole filtered list and nothing else; its question gives the count")
    func filtered() async throws {
        let view = view(service, EntityList(size: 2, category: "Kitchen"))
        try await view.load()

        #expect(
            view.actions.first { $0.name == "delete-all" }?.question
                == "Delete all 7 entities with category 'Kitchen'?")
        #expect(try await perform("delete-all", on: view).message == "Deleted 7 entities.")

        #expect(view.viewModel.total == 0)
        #expect(try await service.page(EntityQuery()).total == 39)
        #expect(try await perform("delete-all", on: view).message == "There is nothing to delete.")
    }

    @Test("Ids to delete are never read from the offline store")
    func stale() async throws {
        let offline = TestOfflineStore()
        let model = EntityModel(repository: EntityRepository(service, offline: offline.store))
        _ = try await model.ids(of: EntityQuery())
        service.fail(with: APIError.requestFailed(.serverUnreachable, "The server can't be reached."))

        let error = await #expect(throws: ServiceError.self) { try await model.ids(of: EntityQuery()) }

        #expect(error?.code == .serviceUnavailable)
    }
}

/// Blocks requests until it is opened.
private actor Barrier {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var expected: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    private var isOpen = false
    /// The largest number of requests that waited at the same time.
    private(set) var mostWaiting = 0

    func pass() async {
        guard !isOpen else { return }
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            mostWaiting = max(mostWaiting, waiting.count)
            if let expected, waiting.count >= expected.count {
                expected.continuation.resume()
                self.expected = nil
            }
        }
    }

    /// Returns once `count` requests wait.
    func arrived(_ count: Int) async {
        guard waiting.count < count else { return }
        await withCheckedContinuation { expected = (count, $0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
