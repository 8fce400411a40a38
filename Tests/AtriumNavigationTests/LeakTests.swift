@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

/// Keeps what it is given, until a test lets it go.
@MainActor
private final class Attic {
    var kept: [AnyObject] = []
}

private final class Draft {}

private final class EditorViewModel: ViewModel {
    let draft: Draft

    init(draft: Draft) {
        self.draft = draft
    }
}

private struct EditorView: View {
    let viewModel: EditorViewModel
    let number: Int
    var body: Content { Title("Editor") }
}

private struct EditorPlace: Destination {
    static let pattern: LinkPattern = "editors/:number"
    let number: Int
}

@Suite("Objects that outlive their stack entry")
@MainActor
struct LeakTests {
    private let house: House
    private let coordinator: Coordinator
    private let attic = Attic()

    init() throws {
        house = try House()
        coordinator = house.coordinator()
        try house.add("Editors") { registry in
            registry.repository(Draft.self, lifetime: .entry) { _ in Draft() }
            registry.viewModel(EditorViewModel.self) { EditorViewModel(draft: try $0.repository()) }
            registry.screen(EditorPlace.self) {
                EditorView(viewModel: try $0.viewModel(), number: $0.destination.number)
            }
        }
    }

    /// Opens an editor and keeps something of it.
    private func leak(_ name: String, _ link: String) -> AliveObject {
        AliveObject(name: name, link: link, reason: "outlived its stack entry")
    }

    private func open(_ number: Int, keeping object: (EditorViewModel) -> AnyObject?) async throws {
        try await coordinator.open("editors/\(number)")
        let view = try #require(try coordinator.currentScreen()?.view as? EditorView)
        if let object = object(view.viewModel) { attic.kept.append(object) }
    }

    @Test("An entry whose objects all leave has no leak")
    func none() async throws {
        try await open(1) { _ in nil }
        #expect(coordinator.leaks == [])

        try await coordinator.back()

        #expect(coordinator.leaks == [])
        #expect(coordinator.takeNewLeaks() == [])
    }

    @Test("An entry on the stack is no leak, whoever retains its objects")
    func present() async throws {
        try await open(1) { $0 }
        try await coordinator.open("lobby")

        try await coordinator.back()

        #expect(coordinator.links == ["editors/1"])
        #expect(coordinator.leaks == [])
    }

    @Test("A leak names the type and the link of the entry, and nothing else")
    func told() async throws {
        try await open(1) { $0.draft }

        try await coordinator.back()

        #expect(coordinator.leaks == [leak("Draft", "editors/1")])
    }

    @Test("Who is kept keeps what it holds: both are told, in the order in which they were built")
    func both() async throws {
        try await open(1) { $0 }

        try await coordinator.back()

        #expect(coordinator.leaks.map(\.name) == ["Draft", "EditorViewModel"])
    }

    @Test("Each is new once; it stays listed as long as it lives")
    func new() async throws {
        try await open(1) { $0.draft }
        try await open(2) { $0.draft }
        try await coordinator.back()

        #expect(coordinator.takeNewLeaks() == [leak("Draft", "editors/2")])
        #expect(coordinator.takeNewLeaks() == [])

        try await coordinator.root()

        #expect(coordinator.takeNewLeaks() == [leak("Draft", "editors/1")])
        #expect(coordinator.leaks.map(\.link) == ["editors/2", "editors/1"])

        attic.kept.removeFirst()

        #expect(coordinator.leaks.map(\.link) == ["editors/2"])
        #expect(coordinator.takeNewLeaks() == [])
    }

    @Test("Going to the root tells those of all places, from the top down")
    func root() async throws {
        for number in 1...3 { try await open(number) { $0.draft } }

        try await coordinator.root()

        #expect(coordinator.leaks.map(\.link) == ["editors/3", "editors/2", "editors/1"])
    }

    @Test("What is let go before anybody asks was no leak: a command that still ran held it")
    func late() async throws {
        try await open(1) { $0 }
        try await coordinator.back()
        #expect(coordinator.leaks.count == 2)

        attic.kept = []

        #expect(coordinator.takeNewLeaks() == [])
        #expect(coordinator.leaks == [])
    }

    @Test("Watching keeps nothing alive")
    func weakly() async throws {
        try await open(1) { $0 }
        weak let viewModel = attic.kept.first
        try await coordinator.back()
        #expect(viewModel != nil)

        attic.kept = []

        #expect(viewModel == nil)
    }
}
