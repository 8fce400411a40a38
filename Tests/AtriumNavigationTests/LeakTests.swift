@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

/// Retains objects until a test removes them.
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

    @Test("An entry whose objects are all released has no leak")
    func none() async throws {
        try await open(1) { _ in nil }
        #expect(coordinator.leaks == [])

        try await coordinator.back()

        #expect(coordinator.leaks == [])
        #expect(coordinator.takeNewLeaks() == [])
    }

    @Test("Retained objects of an entry that is on the stack are no leak")
    func present() async throws {
        try await open(1) { $0 }
        try await coordinator.open("lobby")

        try await coordinator.back()

        #expect(coordinator.links == ["editors/1"])
        #expect(coordinator.leaks == [])
    }

    @Test("A leak is reported with its type and the link of its entry")
    func reported() async throws {
        try await open(1) { $0.draft }

        try await coordinator.back()

        #expect(coordinator.leaks == [leak("Draft", "editors/1")])
    }

    @Test("Objects retained by a leaked object are leaks too, in the order in which they were built")
    func both() async throws {
        try await open(1) { $0 }

        try await coordinator.back()

        #expect(coordinator.leaks.map(\.name) == ["Draft", "EditorViewModel"])
    }

    @Test("Each leak is new once and stays listed while it is alive")
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

    @Test("Going to the root reports the leaks of all entries, from the top down")
    func root() async throws {
        for number in 1...3 { try await open(number) { $0.draft } }

        try await coordinator.root()

        #expect(coordinator.leaks.map(\.link) == ["editors/3", "editors/2", "editors/1"])
    }

    @Test("Objects released before new leaks are read are not reported")
    func late() async throws {
        try await open(1) { $0 }
        try await coordinator.back()
        #expect(coordinator.leaks.count == 2)

        attic.kept = []

        #expect(coordinator.takeNewLeaks() == [])
        #expect(coordinator.leaks == [])
    }

    @Test("Tracking does not retain objects")
    func weakly() async throws {
        try await open(1) { $0 }
        weak let viewModel = attic.kept.first
        try await coordinator.back()
        #expect(viewModel != nil)

        attic.kept = []

        #expect(viewModel == nil)
    }
}
