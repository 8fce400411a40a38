import AtriumTesting
import Testing

@testable @_spi(Host) import AtriumKit
@testable import Entities

@MainActor
@Suite("Entity list: paging, refresh, pending and stale rows", .timeLimit(.minutes(5)))
struct EntityListScreenTests {
    private let world = ModelWorld((1...7).map { Entity.sample($0, "entity \($0)", "seats") })
    private let navigator = RecordingNavigator()

    private func view(
        _ model: EntityModel? = nil, _ place: EntityList = EntityList(size: 3)
    ) -> EntityListView {
        EntityListView(
            viewModel: EntityListViewModel(
                destination: place, model: model ?? world.model, navigator: navigator,
                viewport: ViewportMonitor()))
    }

    private func perform(
        _ action: String, _ values: [String: String] = [:], on view: EntityListView
    ) async throws -> ActionResult {
        try await #require(view.actions.first { $0.name == action }).perform(ArgumentValues(values))
    }

    private func json(_ view: some View) -> String { JSONValue.object(view.body.json).serialized }

    private func mock(_ calls: Int = 0) -> (RecordingEntityService, EntityModel) {
        let service = RecordingEntityService(mockEntityService(clock: FixedClock()))
        return (service, EntityModel(service))
    }

    // MARK: - Pages

    @Test("'more' adds pages until the list ends; 'next' shows the page after the shown ones")
    func more() async throws {
        let (service, model) = mock()
        let view = view(model, EntityList(size: 20))
        try await view.load()

        _ = try await perform("more", on: view)
        #expect(view.viewModel.rows.count == 40)
        #expect(json(view).contains(#""page":1,"lastPage":2,"size":20,"total":46,"hasMore":true"#))
        _ = try await perform("next", on: view)
        #expect(view.viewModel.query.page == 3)
        #expect(view.viewModel.rows.count == 6)

        let error = await #expect(throws: ServiceError.self) { try await perform("more", on: view) }
        #expect(error == .noPageAfter(3))
        #expect(service.calls == ["page", "page", "page"])
    }

    @Test("Added pages are shown again after a restart, and after a resize")
    func keptPages() async throws {
        let (_, model) = mock()
        let viewport = ViewportMonitor()
        let first = EntityListViewModel(
            destination: EntityList(sort: .oldest), model: model, navigator: navigator, viewport: viewport)
        try await first.load()
        _ = try await first.more()
        let kept = try StateCoding.encode(first.savedState)

        let second = EntityListViewModel(
            destination: EntityList(), model: model, navigator: navigator, viewport: viewport)
        second.restore(try StateCoding.decode(EntityListPosition.self, from: kept))
        try await second.load()
        #expect(second.rows == first.rows)
        viewport.update(Viewport(columns: 80, rows: 14))
        await second.fitToViewport()

        #expect(second.query.size == 10)
        #expect(second.rows.map(\.id) == Array(1...40))
    }

    @Test("A list is cached; 'refresh' and 'list --refresh' fetch it again")
    func refresh() async throws {
        let (service, model) = mock()
        let view = view(model)
        try await view.load()
        try await view.load()
        _ = try await perform("list", on: view)
        _ = try await perform("list", on: view)
        #expect(service.calls.count == 2)

        _ = try await perform("list", ["refresh": "yes"], on: view)
        _ = try await perform("refresh", on: view)

        #expect(service.calls.count == 4)
    }

    @Test("'cache' shows how often cached values were used, and fetches nothing")
    func cache() async throws {
        let (service, model) = mock()
        let view = view(model)
        for _ in 1...3 { try await view.load() }
        _ = try await model.create(EntityDraft(name: "Lamp"))
        #expect(service.calls == ["page", "create"])

        let result = try await perform("cache", on: view)

        guard case .content(let content) = result.presentation else {
            Issue.record("A table is expected.")
            return
        }
        #expect(
            JSONValue.object(content.json).serialized == """
                {"title":"Cache","rows":[\
                {"cache":"pages","kept":0,"hits":2,"fetches":1,"joined":0,"dropped":1},\
                {"cache":"entities","kept":0,"hits":0,"fetches":0,"joined":0,"dropped":1},\
                {"cache":"values","kept":0,"hits":0,"fetches":0,"joined":0,"dropped":1}]}
                """)
        #expect(service.calls == ["page", "create"])
    }

    // MARK: - Pending and stale

    @Test("Pending changes are marked in their row until they are answered")
    func marks() async throws {
        let view = view()
        try await world.beginOther { try? await view.load() }
        try await world.interleaver.finish()
        let before = json(view)
        #expect(!before.contains("pending"))

        try await world.begin { _ = try? await world.model.create(EntityDraft(name: "entity 0")) }
        try await world.begin { _ = try? await world.model.update(1, EntityChanges(name: "entity 1b")) }

        #expect(view.viewModel.shownRows.map(\.status) == [.creating, .updating, nil, nil])
        #expect(json(view).contains(#""id":null,"name":"entity 0""#))
        #expect(json(view).contains(#""pending":"creating""#))
        world.service.fail("create entity 0")
        try await world.answer("create entity 0")
        try await world.answer("update 1")
        #expect(!json(view).contains("pending"))
        #expect(view.viewModel.rows.map(\.name) == ["entity 1b", "entity 2", "entity 3"])
    }

    @Test("A failure after its command was cancelled is shown until the next attempt")
    func failureNotice() async throws {
        let view = view()
        try await world.beginOther { try? await view.load() }
        try await world.interleaver.finish()
        world.service.fail("delete 1")
        let command = try await world.begin { _ = try? await world.model.delete(1) }
        try await world.interleaver.cancel(command)
        try await world.answer("delete 1")

        #expect(
            json(view).contains(
                #""text":"The entity could not be deleted: The entity service does not answer.""#
            ))
        try await world.begin { _ = try? await world.model.delete(1) }
        #expect(!json(view).contains("problem"))
        try await world.interleaver.finish()
    }

    @Test("A saved list and a saved entity are shown with the time they were saved")
    func stale() async throws {
        let service = RecordingEntityService(mockEntityService(clock: FixedClock()))
        let offline = TestOfflineStore()
        let model = EntityModel(repository: EntityRepository(service, offline: offline.store))
        let (view, detail) = (
            view(model), EntityDetailView(viewModel: EntityDetailViewModel(id: 1, model: model))
        )
        try await view.load()
        try await detail.load()
        service.fail(
            with: .unavailable(
                Entity.noun, APIError.requestFailed(.serverUnreachable, "The server can't be reached.")))

        _ = try await perform("refresh", on: view)
        _ = try await detail.viewModel.refresh()

        #expect(view.viewModel.rows.count == 3)
        let notice = #""kind":"warning","text":"As of 2026-01-01 00:00 UTC: the server can't be reached.""#
        #expect(json(view).contains(notice + #","hint":"entities refresh""#))
        #expect(json(view).contains(#""asOf":"2026-01-01T00:00:00Z""#))
        #expect(json(detail).contains(notice + #","hint":"entities/1 refresh""#))
        service.fail(with: nil)
        _ = try await perform("refresh", on: view)
        #expect(!json(view).contains("asOf"))
    }

    // MARK: - Files

    @Test("An import shows its progress, then the imported entities")
    func importing() async throws {
        let view = view()
        try await world.beginOther { try? await view.load() }
        try await world.interleaver.finish()
        var result: ActionResult?
        let file = try threeEntities()

        try await world.beginOther {
            result = try? await perform("import", ["file": file.path], on: view)
        }
        #expect(json(view).contains(#""label":"Importing \#(file.path)","completed":0"#))
        await #expect(throws: ServiceError.transferUnderWay()) {
            try await perform("export", ["file": "x.csv"], on: view)
        }
        try await world.interleaver.open("import")
        try await world.interleaver.open("import answered")
        try await world.interleaver.finish()

        #expect(result?.message == "Imported 3 entities from '\(file.path)'.")
        #expect(view.viewModel.transfer == nil)
        #expect(view.viewModel.total == 10)
    }

    @Test("A cancelled import ends at once, with nothing created and no progress left")
    func cancelledImport() async throws {
        let view = view()
        var error: (any Error)?
        let file = try threeEntities()
        let command = try await world.beginOther {
            do {
                _ = try await perform("import", ["file": file.path], on: view)
            } catch let thrown {
                error = thrown
            }
        }

        try await world.interleaver.cancel(command)

        #expect(error is CancellationError)
        #expect(view.viewModel.transfer == nil)
        #expect(world.service.ids == Array(1...7))
    }

    @Test("A change whose command is cancelled is not known to be made, and the list shows it")
    func goesOn() async throws {
        let view = view()
        try await world.beginOther { try? await view.load() }
        try await world.interleaver.finish()
        var error: (any Error)?
        let command = try await world.begin {
            do {
                _ = try await perform("create", ["name": "entity 0"], on: view)
            } catch let thrown {
                error = thrown
            }
        }

        try await world.interleaver.cancel(command)

        #expect(error as? ServiceError == .unknownOutcome(Entity.link, cause: CancellationError()))
        #expect((error as? ServiceError)?.category == .cancelled)
        #expect(view.viewModel.shownRows.first?.status == .creating)
        try await world.answer("create entity 0")
        #expect(view.viewModel.rows.map(\.id) == [8, 1, 2, 3])
        #expect(view.viewModel.shownRows.first?.status == nil)
        try await world.interleaver.finish()
    }

    @Test("If a continued change fails, the list shows the failure")
    func goesOnAndFails() async throws {
        let view = view()
        try await world.beginOther { try? await view.load() }
        try await world.interleaver.finish()
        world.service.fail("create entity 0")
        let command = try await world.begin {
            _ = try? await perform("create", ["name": "entity 0"], on: view)
        }

        try await world.interleaver.cancel(command)
        try await world.answer("create entity 0")

        #expect(view.viewModel.rows.map(\.id) == [1, 2, 3])
        #expect(
            view.viewModel.failure?.message
                == "The entity could not be created: The entity service does not answer.")
        try await world.interleaver.finish()
    }

    @Test(
        "A file of unknown format is refused before the service is called",
        arguments: ["import", "export"])
    func unknownFormat(_ action: String) async throws {
        let (service, model) = mock()

        let error = await #expect(throws: ServiceError.self) {
            try await perform(action, ["file": "lamps.txt"], on: view(model))
        }

        #expect(
            error?.message
                == "The format of 'lamps.txt' is not known: its name ends neither in .csv nor in .jsonl.")
        #expect(error?.hint == "Give the format: --format csv or --format jsonl.")

        #expect(service.calls == [])
    }

    @Test("A lower count that arrives later is not shown")
    func lateCount() async {
        var shown: [Int] = []
        let relay = ProgressRelay { shown.append($0) }

        for count in [1, 5, 3] { relay.send(count) }
        await Task { @MainActor in }.value

        #expect(shown == [5])
    }

    @Test("Progress from several threads is shown in increasing order")
    func progress() async {
        var shown: [Int] = []
        let relay = ProgressRelay { shown.append($0) }

        relay.send(1)
        await Task { @MainActor in }.value
        #expect(shown == [1])

        await withTaskGroup { group in
            for count in 1...1_000 { group.addTask { relay.send(count) } }
        }
        await Task { @MainActor in }.value

        #expect(shown == shown.sorted())
        #expect(shown.last == 1_000)
    }
}
