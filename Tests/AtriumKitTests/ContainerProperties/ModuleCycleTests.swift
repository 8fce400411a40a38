import Testing

@_spi(Host) @testable import AtriumKit

private final class Draft {
    private let token: LiveCount.Token

    init(_ token: LiveCount.Token) {
        self.token = token
    }
}

private final class Outline {
    let draft: Draft

    init(_ draft: Draft) {
        self.draft = draft
    }
}

private final class EditorModel: ViewModel {
    let outline: Outline
    let draft: Draft
    let page: Int
    let nodes: Provider<Node>
    private let token: LiveCount.Token

    init(_ outline: Outline, _ draft: Draft, _ page: Int, _ nodes: Provider<Node>, _ token: LiveCount.Token) {
        (self.outline, self.draft, self.page) = (outline, draft, page)
        (self.nodes, self.token) = (nodes, token)
    }
}

private struct EditorView: View {
    let model: EditorModel
    var body: Content { Title("Editor") }
}

private struct EditorPlace: Destination {
    static let pattern: LinkPattern = "editor/:page"
    let page: Int
}

@Suite("Thousands of module updates")
@MainActor
struct ModuleCycleTests {
    private let container = Container(environment: .mock)
    private let live = LiveCount()

    /// Registers a screen with an argument, an entry's value, a provider, a list and a dependency chain.
    private func register(_ generation: Int, in registry: ModuleRegistry) {
        let (live, token) = (live, live.token())
        registry.repository(Draft.self, lifetime: .entry) { _ in
            withExtendedLifetime(token) { Draft(live.token()) }
        }
        registry.useCase(Outline.self) { Outline(try $0.repository()) }
        registry.repository(Node.self) { _ in Node("shared", version: generation, token: live.token()) }
        registry.contribute(to: .nodes) { Node("element", held: [try $0.repository()], token: live.token()) }
        registry.aggregateModel(Node.self) { context in
            let elements = try context.contributions(to: .nodes).map(\.value)
            return Node("list", version: generation, held: elements, token: live.token())
        }
        registry.viewModel(EditorModel.self) { context, page in
            _ = try context.aggregateModel(Node.self)
            return EditorModel(
                try context.useCase(), try context.repository(), page, context.repositoryProvider(),
                live.token())
        }
        registry.screen(EditorPlace.self) { context in
            EditorView(model: try context.viewModel(context.destination.page))
        }
    }

    private func module(_ generation: Int) -> (registry: ModuleRegistry, scope: ModuleScope) {
        let scope = ModuleScope.named("Editor", generation: generation)
        let registry = ModuleRegistry(scope: scope)
        register(generation, in: registry)
        return (registry, scope)
    }

    private func use(_ screen: ScreenRegistration, _ generation: Int) throws -> Screen {
        let screen = try screen.build(EditorPlace(page: generation), in: container)
        let model = try #require(screen.view as? EditorView).model
        #expect(model.page == generation)
        #expect(model.outline.draft === model.draft)
        #expect(try model.nodes().version == generation)
        return screen
    }

    @Test("Each of 3,000 generations builds screens, and all values are released in the end")
    func cycles() throws {
        var screens: [Screen] = []
        var present: ModuleScope?
        for generation in 1...3000 {
            let next = module(generation)
            if generation.isMultiple(of: 3), let present {
                let change = StagedChange(of: container)
                change.remove(present)
                try change.add(next.registry)
                try change.rebuild()
                try change.publish()
            } else {
                if let present { container.remove(present) }
                try container.add(next.registry)
            }
            present = next.scope
            let screen = try #require(next.registry.screens.first)
            screens = [try use(screen, generation), try use(screen, generation)] + screens.prefix(2)
        }

        screens = []
        if let present { container.remove(present) }

        #expect(live.count == 0)
        #expect(container.count == 0)
        #expect(container.graph.nodes.isEmpty)
    }
}
