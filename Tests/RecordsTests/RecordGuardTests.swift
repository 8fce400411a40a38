import AtriumTesting
import Testing

@testable @_spi(Host) import AtriumKit

@MainActor
@Suite("Records of guarded screens")
struct RecordGuardTests {
    private struct Letter: Record {
        var id = 0
        var title = ""

        static let guards: [GuardName] = [.signedIn]
        static let fields: Fields<Letter> = [RecordField("title", \.title, .sorted)]
    }

    private final class LetterModule: FeatureModule {
        func register(in registry: ModuleRegistry) {
            registry.records(
                Letter.self, live: .unavailable, local: .unavailable,
                mock: .samples([Letter(title: "Dear Ada")]))
        }
    }

    private let session = TestSession(SessionUser(id: "ada", email: "ada@example.com"))
    private let other = SessionUser(id: "bob", email: "bob@example.com")

    private func json(_ view: some View) -> String { JSONValue.object(view.body.json).serialized }

    @Test("A record is hidden when another user signs in, until it is loaded again")
    func record() async throws {
        let container = try TestContainer(LetterModule.self, session: session)
        let view = RecordView(viewModel: try container.viewModel(RecordViewModel<Letter>.self, 1))
        try await view.load()
        #expect(json(view).contains("Dear Ada"))

        session.writer.signIn(other, credential: try #require(session.writer.credential))

        #expect(!json(view).contains("Dear Ada"))
        #expect(json(view).contains("Who is signed in has changed since this was loaded."))
        #expect(!json(view).contains("is gone"))
        try await view.load()
        #expect(json(view).contains("Dear Ada"))
    }

    @Test("A record that is being loaded when another user signs in is not shown to them")
    func loading() async throws {
        let container = try TestContainer(LetterModule.self, session: session)
        let viewModel = try container.viewModel(RecordViewModel<Letter>.self, 1)
        let mock = try #require(container.mock("LetterService"))
        mock.scenario = MockScenario(.slow, delay: .milliseconds(50))
        let load = Task { try await viewModel.load() }
        while mock.calls.isEmpty { await Task.yield() }

        session.writer.signOut()
        _ = await load.result

        #expect(viewModel.record == nil)
    }

    @Test("A list is hidden when the user signs out")
    func list() async throws {
        let container = try TestContainer(LetterModule.self, session: session)
        let view = RecordListView(
            viewModel: try container.viewModel(
                RecordListViewModel<Letter>.self, RecordListDestination<Letter>()))
        try await view.load()
        #expect(json(view).contains("Dear Ada"))

        session.writer.signOut()

        #expect(!json(view).contains("Dear Ada"))
    }

    // MARK: - Forms

    private func form(
        _ container: borrowing TestContainer, of id: Int?
    ) throws -> (viewModel: RecordFormViewModel<Letter>, view: RecordFormView<Letter>) {
        let viewModel = try container.viewModel(RecordFormViewModel<Letter>.self, id)
        return (viewModel, RecordFormView(viewModel: viewModel))
    }

    @Test(
        "A form belongs to the user who filled it in: another one sees and stores nothing of it",
        arguments: [1, nil])
    func form(_ id: Int?) async throws {
        let container = try TestContainer(LetterModule.self, session: session)
        let (viewModel, view) = try form(container, of: id)
        let credential = try #require(session.writer.credential)
        try await view.load()
        _ = try await viewModel.set("title", to: "Secret")

        session.writer.signOut()
        #expect(!json(view).contains("Secret") && !json(view).contains("Dear Ada"))
        #expect(json(view).contains("Who is signed in has changed since this was loaded."))
        #expect(viewModel.savedState == nil && viewModel.leaveObjections.isEmpty)
        session.writer.signIn(SessionUser(id: "ada", email: "ada@example.com"), credential: credential)
        #expect(json(view).contains("Secret"))

        session.writer.signIn(other, credential: credential)
        try await view.load()
        #expect(!json(view).contains("Secret") && !json(view).contains("has changed"))
        #expect(json(view).contains("Dear Ada") == (id != nil))
        _ = try await viewModel.set("title", to: "Mine")
        let saved = try await viewModel.form.save()
        #expect(saved.title == "Mine")
    }

    @Test("A command without a load begins with the form of the user who is signed in")
    func unloaded() async throws {
        let container = try TestContainer(LetterModule.self, session: session)
        let (viewModel, view) = try form(container, of: 1)
        try await view.load()
        _ = try await viewModel.set("title", to: "Secret")

        session.writer.signIn(other, credential: try #require(session.writer.credential))
        let saved = try await viewModel.form.save()

        #expect(saved.title == "Dear Ada")
    }

    @Test("A record that is being loaded into a form when another user signs in is not shown to them")
    func loadingForm() async throws {
        let container = try TestContainer(LetterModule.self, session: session)
        let (viewModel, view) = try form(container, of: 1)
        let mock = try #require(container.mock("LetterService"))
        mock.scenario = MockScenario(.slow, delay: .milliseconds(50))
        let load = Task { try await viewModel.load() }
        while mock.calls.isEmpty { await Task.yield() }

        session.writer.signIn(other, credential: try #require(session.writer.credential))
        _ = await load.result

        #expect(!json(view).contains("Dear Ada"))
    }

    @Test("Saved input is restored for the user who filled it in, and for no other")
    func restored() async throws {
        let container = try TestContainer(LetterModule.self, session: session)
        let first = try form(container, of: nil).viewModel
        _ = try await first.set("title", to: "Secret")
        let kept = try StateCoding.encode(try #require(first.savedState))
        session.writer.signIn(other, credential: try #require(session.writer.credential))

        let (viewModel, view) = try form(container, of: nil)
        viewModel.restore(try StateCoding.decode(RecordInput.self, from: kept))

        #expect(!json(view).contains("Secret"))
        try await view.load()
        #expect(!json(view).contains("Secret") && viewModel.savedState == nil)
    }
}
