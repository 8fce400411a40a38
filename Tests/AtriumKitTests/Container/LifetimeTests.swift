import Testing

@_spi(Host) @testable import AtriumKit

/// Lives for one stack entry.
private final class Draft {}

/// Holds a draft; built on each use.
private final class Folder {
    let draft: Draft

    init(draft: Draft) {
        self.draft = draft
    }
}

private final class Notepad {
    let folder: Folder

    init(folder: Folder) {
        self.folder = folder
    }
}

private final class EditorModel: ViewModel {
    let folder: Folder
    let notepad: Notepad

    init(folder: Folder, notepad: Notepad) {
        self.folder = folder
        self.notepad = notepad
    }
}

private final class OutlineModel: ViewModel {
    let draft: Draft

    init(draft: Draft) {
        self.draft = draft
    }
}

private struct PageView: View {
    let outline: OutlineModel
    let editor: EditorModel
    var body: Content { Title("Page") }
}

private struct Page: Destination {
    static let pattern: LinkPattern = "page"
}

@Suite("Values with lifetime 'entry'")
@MainActor
struct LifetimeTests {
    private let container = Container(environment: .mock)

    private func addPage(notepad: Lifetime) throws -> ScreenRegistration {
        let registry = try container.add { registry in
            registry.repository(Draft.self, lifetime: .entry) { _ in Draft() }
            registry.useCase(Folder.self) { Folder(draft: try $0.repository()) }
            registry.aggregateModel(Notepad.self, lifetime: notepad) { Notepad(folder: try $0.useCase()) }
            registry.viewModel(OutlineModel.self) { OutlineModel(draft: try $0.repository()) }
            registry.viewModel(EditorModel.self) {
                EditorModel(folder: try $0.useCase(), notepad: try $0.aggregateModel())
            }
            registry.screen(Page.self) {
                PageView(outline: try $0.viewModel(), editor: try $0.viewModel())
            }
        }.registry
        return try #require(registry.screens.first)
    }

    private func build(_ page: ScreenRegistration) throws -> PageView {
        try #require(try page.build(Page(), in: container).view as? PageView)
    }

    @Test("Both view models and the aggregate model of one screen get the same value")
    func sameEntry() throws {
        let view = try build(try addPage(notepad: .entry))

        #expect(view.outline.draft === view.editor.folder.draft)
        #expect(view.outline.draft === view.editor.notepad.folder.draft)
        #expect(view.editor.folder !== view.editor.notepad.folder)
    }

    @Test("Each stack entry gets its own value, also if inlined code builds the values in between")
    func otherEntry() throws {
        let page = try addPage(notepad: .entry)

        let views = try (0..<4).map { _ in try build(page) }

        #expect(Set(views.map { ObjectIdentifier($0.outline.draft) }).count == 4)
        #expect(Set(views.map { ObjectIdentifier($0.editor.notepad) }).count == 4)
        #expect(views.allSatisfy { $0.outline.draft === $0.editor.folder.draft })
        #expect(views.allSatisfy { $0.outline.draft === $0.editor.notepad.folder.draft })
    }

    @Test("An entry's value is released with the entry")
    func release() throws {
        let page = try addPage(notepad: .entry)
        var screen: Screen? = try page.build(Page(), in: container)
        weak let draft = (screen?.view as? PageView)?.outline.draft
        weak let notepad = (screen?.view as? PageView)?.editor.notepad
        #expect(draft != nil && notepad != nil)

        screen = nil

        #expect(draft == nil && notepad == nil)
    }

    @Test("A value that outlives its entry is listed by the name of its type")
    func leak() throws {
        let page = try addPage(notepad: .entry)
        var screen: Screen? = try page.build(Page(), in: container)
        let objects = try #require(screen?.entry.objects)
        #expect(objects.map(\.name) == ["Draft", "OutlineModel", "Notepad", "EditorModel"])
        #expect(objects.allSatisfy { $0.isAlive })
        let kept = (screen?.view as? PageView)?.outline.draft

        screen = nil

        #expect(kept != nil)
        #expect(objects.filter(\.isAlive).map(\.name) == ["Draft"])
    }

    @Test("A shared value can't hold an entry's value, not even through a transient one in inlined code")
    func sharedHolder() throws {
        let page = try addPage(notepad: .shared)

        let first = #expect(throws: ResolutionError.self) { try build(page) }
        let second = #expect(throws: ResolutionError.self) { try build(page) }

        #expect(first?.code == .wrongLifetime)
        #expect(
            first?.message
                == "Notepad is shared and can't hold Draft, which leaves with its stack entry: "
                + "page → EditorModel → Notepad → Folder → Draft.")
        #expect(first?.hint == "Let Notepad live for the entry too, or take a Provider.")
        #expect(first?.path == ["page", "EditorModel", "Notepad", "Folder", "Draft"])
        #expect(second?.message == first?.message)
        #expect(container.graph.nodes.first { $0.name == "Notepad" }?.isBuilt == false)
    }

    @Test("Resolving an entry's value while no screen is being built is an error")
    func noEntry() throws {
        _ = try addPage(notepad: .entry)

        let error = #expect(throws: ResolutionError.self) {
            try container.resolve(Folder.self, .useCase)
        }

        #expect(error?.code == .wrongLifetime)
        #expect(
            error?.message
                == "Draft lives for one stack entry, and no screen is being built: Folder → Draft.")
        #expect(error?.hint == "Resolve it in the factory of a view model.")
        #expect(error?.path == ["Folder", "Draft"])
    }
}
