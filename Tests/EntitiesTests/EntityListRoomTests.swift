import AtriumTesting
import Testing

@testable @_spi(Host) import AtriumKit
@testable import Entities

@MainActor
@Suite("Entity list: page size")
struct EntityListRoomTests {
    private let service = RecordingEntityService(mockEntityService(clock: FixedClock()))
    private let viewport = ViewportMonitor()

    private func viewModel(_ place: EntityList = EntityList()) -> EntityListViewModel {
        EntityListViewModel(
            destination: place, model: EntityModel(service), navigator: RecordingNavigator(),
            viewport: viewport)
    }

    private func resize(_ rows: Int) {
        viewport.update(Viewport(columns: 80, rows: rows))
    }

    @Test(
        "The default size fits the viewport, from 1 to 500",
        arguments: [(24, 20), (40, 36), (10, 6), (7, 3), (4, 1), (0, 1), (100_000, 500)])
    func fitting(_ rows: Int, _ size: Int) async throws {
        resize(rows)
        let viewModel = viewModel()

        try await viewModel.load()

        #expect(viewModel.query.size == size)
        #expect(viewModel.rows.count == min(size, 46))
    }

    @Test(
        "Where columns do not fit side by side, fewer entities do",
        arguments: [(20, 6, 1), (20, 24, 3), (39, 16, 2), (40, 16, 12)])
    func narrow(_ columns: Int, _ rows: Int, _ size: Int) async throws {
        viewport.update(Viewport(columns: columns, rows: rows))
        let viewModel = viewModel()

        try await viewModel.load()

        #expect(viewModel.query.size == size)
    }

    @Test("A requested size does not depend on the viewport")
    func asked() async throws {
        let viewModel = viewModel(EntityList(page: 2, size: 20))
        try await viewModel.load()

        resize(10)
        await viewModel.fitToViewport()
        try await viewModel.load()

        #expect(viewModel.query == EntityQuery(page: 2, size: 20))
        _ = try await viewModel.list(EntityList())
        #expect(viewModel.query.size == 6)
    }

    @Test(
        "After a resize, the first entity stays in view",
        arguments: [(14, 3, 10, 21...30), (34, 1, 30, 1...30), (25, 1, 21, 1...21), (7, 7, 3, 19...21)])
    func resized(_ rows: Int, _ page: Int, _ size: Int, _ shown: ClosedRange<Int>) async throws {
        let viewModel = viewModel(EntityList(page: 2, sort: .oldest))
        try await viewModel.load()
        #expect(viewModel.rows.first?.id == 21)

        resize(rows)
        await viewModel.fitToViewport()

        #expect(viewModel.query == EntityQuery(page: page, size: size, sort: .oldest))
        #expect(viewModel.rows.map(\.id) == Array(shown))
        #expect(viewModel.rows.contains { $0.id == 21 })
    }

    @Test("After a restart with another viewport, the first entity is the same")
    func restored() async throws {
        let first = viewModel(EntityList(page: 2, sort: .oldest))
        try await first.load()
        let kept = try StateCoding.encode(first.savedState)

        resize(14)
        let second = viewModel()
        second.restore(try StateCoding.decode(EntityListPosition.self, from: kept))
        try await second.load()

        #expect(second.rows.first?.id == 21)
        #expect(second.query == EntityQuery(page: 3, size: 10, sort: .oldest))
        #expect(try second.shownDestination?.link().description == "entities?page=3&sort=oldest")
    }

    @Test("Resizing on the last allowed page does not exceed the page limit")
    func farPage() async throws {
        let viewModel = viewModel(EntityList(page: 1_000_000_000))
        try await viewModel.load()

        resize(0)
        await viewModel.fitToViewport()

        #expect(viewModel.query == EntityQuery(page: 1_000_000_000, size: 1))
    }

    @Test(
        "An invalid page is an error, also after a resize",
        arguments: [0, Int.min, Int.max])
    func refusedPage(_ page: Int) async {
        let viewModel = viewModel(EntityList(page: page))

        resize(14)

        await #expect(throws: ValidationError.self) { try await viewModel.load() }
        #expect(viewModel.query.page == page)
    }

    @Test("Resizing does nothing before the first load or without a new size; a failed reload keeps the page")
    func notRead() async throws {
        let viewModel = viewModel()
        resize(14)
        await viewModel.fitToViewport()
        #expect(service.calls == [])

        try await viewModel.load()
        await viewModel.fitToViewport()
        #expect(service.calls == ["page"])

        service.fail(with: .unavailable)
        resize(24)
        await viewModel.fitToViewport()
        #expect(viewModel.query.size == 10)
        #expect(viewModel.rows.count == 10)
    }

    @Test("Of two resizes during a load, the last one counts")
    func changesMeanwhile() async throws {
        let world = ModelWorld((1...40).map { Entity.sample($0, "entity \($0)") })
        let viewModel = EntityListViewModel(
            destination: EntityList(), model: world.model, navigator: RecordingNavigator(), viewport: viewport
        )
        try await world.beginOther { try? await viewModel.load() }
        try await world.interleaver.finish()

        resize(14)
        try await world.beginOther { await viewModel.fitToViewport() }
        resize(10)
        await viewModel.fitToViewport()
        try await world.interleaver.finish()

        #expect(viewModel.rows.count == 6)
        #expect(world.service.calls.count == 3)
    }

    @Test("The list follows the viewport until its stack entry is left, without a running task")
    func follows() async throws {
        let container = Container(environment: .mock, session: .isolated(), viewport: viewport)
        let registry = try ModuleRegistry.entities()
        try container.add(registry)
        let screen = try registry.screens[0].build(
            EntityList(), in: container, navigator: RecordingNavigator())
        let view = try #require(screen.view as? EntityListView)
        try await view.load()
        #expect(screen.entry.tasks.count == 0)

        resize(14)
        for _ in 0..<100_000 where view.viewModel.rows.count != 10 || screen.entry.tasks.count > 0 {
            await Task.yield()
        }
        #expect(view.viewModel.rows.count == 10)
        #expect(screen.entry.tasks.count == 0)

        screen.entry.leave()
        resize(10)
        #expect(screen.entry.tasks.count == 0)
        #expect(view.viewModel.rows.count == 10)
    }
}
