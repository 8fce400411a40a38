@_spi(Host) import AtriumKit
import Testing

@Suite("Every screen in every state at every width")
@MainActor
struct EveryScreenTests {
    @Test(
        "From 20 to 200 columns, all text is shown within the width, with and without colours",
        arguments: ScreenState.all)
    func widths(_ state: ScreenState) async throws {
        let content = try await state.content()
        #expect(!content.blocks.isEmpty)

        try await check(content, of: state.description)
    }

    /// Runs off the main actor, which other tests need.
    @concurrent
    private func check(_ content: Content, of state: String) async throws {
        for width in 20...200 {
            try LaidOut(content: content, width: width).check(state)
            await Task.yield()
        }
    }

    @Test("Each state has its own name")
    func names() {
        #expect(Set(ScreenState.all.map(\.description)).count == ScreenState.all.count)
    }

    @Test("The JSON of a list names its state; only a loaded list shows a table")
    func exclusive() async throws {
        var words: [String: String] = [:]
        for state in ScreenState.entities {
            words[state.description] = try await state.content().json["state"]?.stringValue
        }

        #expect(words["entities, loading"] == "loading")
        #expect(words["entities, failed"] == "failed")
        #expect(words["entities, none"] == "empty")
        #expect(words["entities, past the end"] == "empty")
        #expect(words["entities, content"] == "content")
        for state in ScreenState.entities.prefix(3) {
            #expect(try await state.content().blocks.contains(where: \.isTable) == false)
        }
    }
}

extension Content.Block {
    fileprivate var isTable: Bool {
        if case .table = self { true } else { false }
    }
}
