import AtriumKit
import Testing

private struct OutOfLamps: ExplainedError {
    let code: ErrorCode = "outOfLamps"
    let message = "The shop has no lamps."
    var hint: String?
}

private struct Unexplained: Error {}

@MainActor
private final class LampListViewModel {
    private(set) var state = LoadState<[String]>.loading
    /// The state during the loading.
    private(set) var stateMeanwhile: LoadState<[String]>?

    func load(_ lamps: () async throws -> [String]) async {
        state = .loading
        state = await LoadState(catching: {
            stateMeanwhile = state
            return try await lamps()
        })
    }
}

@Suite("The four states of loading")
@MainActor
struct LoadableTests {
    private let empty = Notice(.information, "Add your first lamp", hint: "lamps create --name NAME")

    private func json(_ state: LoadState<[String]>, retry: String? = nil) -> String {
        let content = Content {
            Loadable(state, empty: empty, retry: retry) { lamps in
                Table(lamps, key: "lamps") { Column("name") { $0 } }
            }
        }
        return JSONValue.object(content.json).serialized
    }

    @Test("Each state is shown by itself, and is one word in JSON")
    func exclusive() {
        #expect(
            json(.loading)
                == #"{"state":"loading","progress":{"label":"Loading","completed":null,"total":null,"#
                + #""elapsedSeconds":null}}"#)
        #expect(
            json(.failed(LoadFailure(OutOfLamps(hint: "lamps order"))), retry: "lamps")
                == #"{"state":"failed","notices":[{"kind":"problem","text":"The shop has no lamps.","#
                + #""hint":"lamps order"}]}"#)
        #expect(
            json(.empty)
                == #"{"state":"empty","notices":[{"kind":"information","text":"Add your first lamp","#
                + #""hint":"lamps create --name NAME"}]}"#)
        #expect(json(.content(["Desk"])) == #"{"state":"content","lamps":[{"name":"Desk"}]}"#)
    }

    @Test("A failure without a hint is shown with the command to retry")
    func retry() {
        #expect(
            json(.failed(LoadFailure(OutOfLamps())), retry: "lamps").hasSuffix(#""hint":"lamps"}]}"#))
        #expect(!json(.failed(LoadFailure(OutOfLamps()))).contains("hint"))
    }

    @Test("Content is built in state 'content' only")
    func laziness() {
        for state in [LoadState<Int>.loading, .failed(LoadFailure(Unexplained())), .empty] {
            _ = Loadable(state, empty: empty) { _ in
                Issue.record("Content is built in state '\(state.word)'.")
                return Content()
            }
        }
    }

    @Test("A loaded list is in state 'content', or in state 'empty' without elements")
    func lists() async {
        let viewModel = LampListViewModel()

        await viewModel.load { ["Desk"] }
        #expect(viewModel.state == .content(["Desk"]))
        #expect(viewModel.stateMeanwhile == .loading)
        #expect(viewModel.state.value == ["Desk"])

        await viewModel.load { [] }
        #expect(viewModel.state == .empty)
        #expect(viewModel.state.value == nil && viewModel.state.failure == nil)
    }

    @Test("Any error ends the loading, with a failure that has a message")
    func failures() async {
        let viewModel = LampListViewModel()

        await viewModel.load { throw OutOfLamps(hint: "lamps order") }
        #expect(!viewModel.state.isLoading)
        #expect(viewModel.state.failure?.code == "outOfLamps")
        #expect(viewModel.state.failure?.message == "The shop has no lamps.")
        #expect(viewModel.state.failure?.hint == "lamps order")

        await viewModel.load { throw Unexplained() }
        #expect(viewModel.state.failure?.code == .unexpected)
        #expect(
            viewModel.state.failure?.message == "An unexpected error of type 'Unexplained' occurred.")

        await viewModel.load { throw CancellationError() }
        #expect(viewModel.state.failure?.code == .cancelled)
        #expect(viewModel.state.failure?.message == "Loading was cancelled.")
    }

    @Test("A loaded value that is not a list is in state 'content'")
    func values() async {
        let state = await LoadState(catching: { 7 })

        #expect(state == .content(7))
        #expect(LoadState([Int]()) == .empty)
        #expect(LoadState<Int>.loading.isLoading)
        #expect(LoadState<Int>.loading != .empty)
    }
}
