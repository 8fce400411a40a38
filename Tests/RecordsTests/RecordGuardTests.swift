@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

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
}
