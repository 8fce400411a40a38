import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Names of stories")
@MainActor
struct StoryNameTests {
    private struct Shelf: Destination { static let pattern: LinkPattern = "shelf" }

    private func registry(_ register: (ModuleRegistry) -> Void) -> ModuleRegistry {
        let registry = ModuleRegistry(scope: .named("Shop"))
        register(registry)
        return registry
    }

    @Test("Two stories of one name are refused, and so is a name without a word")
    func names() {
        let registry = registry {
            $0.story("Sold out!", Shelf())
            $0.story("sold-out", Shelf())
            $0.story("…", Shelf())
        }

        #expect(registry.stories.map(\.path) == ["Shop/sold-out"])
        #expect(
            registry.findings.map(\.message) == [
                "Module 'Shop' registers the story 'sold-out' twice.",
                "Module 'Shop' can't register the story '…': its name has no letter or digit, has a control "
                    + "character, or is longer than 200 bytes.",
            ])
    }

    @Test("A declared story replaces that of a record, in either order")
    func replacing() {
        let registry = registry { registry in
            registry.addStories { [StoryRegistration(module: $0, story: Story("shelves")) { nil }] }
            registry.story("shelves", Shelf()) { $0.scenario = .edge }
            registry.addStories { [StoryRegistration(module: $0, story: Story("shelves")) { nil }] }
        }

        #expect(registry.stories.map(\.story.scenario) == [.edge])
        #expect(registry.findings.isEmpty)
    }
}
