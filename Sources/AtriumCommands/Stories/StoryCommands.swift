@_spi(Host) internal import AtriumKit
internal import AtriumModules
internal import AtriumText
internal import AtriumViews

/// The commands about stories.
extension HostCommands {
    @ActionsBuilder var stories: [Action] {
        Action(
            "stories", "List the stories, screens in named states, or show one", effect: .reads,
            Argument<String?>(
                "name", "A story, or a module for its stories",
                suggestions: offersNames ? moduleNames + host.stories.map(\.path) : []),
            Argument("html", "Print a page of them; to a file: stories --html > stories.html", default: false)
        ) { name, isPage in
            if let name, host.runtime.module(name) == nil {
                let story = try find(name)
                let shown = try await StoryStage(scene).show(story, scene.viewport.current)
                return .content(StoryViews.shown(story, shown, in: host.environment))
            }
            let stories = host.stories.filter { name == nil || $0.module == name }
            guard isPage else { return .content(StoryViews.list(stories)) }
            let page = try await page(of: stories)
            return .content(Content { Verbatim("html", page) })
        }
    }

    /// The story of a name such as `Shop/sold-out`, in any letter case, or of the part after the module if only
    /// one has it.
    private func find(_ name: String) throws -> StoryRegistration {
        let (stories, wanted) = (host.stories, name.lowercased())
        if let story = stories.first(where: { $0.path.lowercased() == wanted }) { return story }
        let found = stories.filter { $0.story.slug == wanted || $0.story.name.lowercased() == wanted }
        if found.count == 1 { return found[0] }
        throw ShellError.unknown(
            .notFound, name, among: stories.map(\.path), else: "'stories' lists them."
        ) { found.isEmpty ? "There is no story '\($0)'." : "Several modules have a story '\($0)'." }
    }

    private func page(of stories: [StoryRegistration]) async throws -> [String] {
        var shown: [(StoryRegistration, [StoryPage.Rendering])] = []
        for story in stories {
            var renderings: [StoryPage.Rendering] = []
            for width in StoryStage.widths {
                let screen = try await StoryStage(scene).show(story, Viewport(columns: width, rows: 24))
                renderings.append(StoryPage.Rendering(width: width, screen: screen))
            }
            shown.append((story, renderings))
        }
        return StoryPage.html(of: shown).split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
    }
}

extension ShellHost {
    /// The stories of the loaded modules, by module.
    var stories: [StoryRegistration] {
        runtime.modules.flatMap { $0.current?.stories ?? [] }.filter { $0.destination() != nil }
    }
}

@MainActor
enum StoryViews {
    static func list(_ stories: [StoryRegistration]) -> Content {
        Content {
            if stories.isEmpty { Notice(.information, "No active module has a story.", hint: "modules") }
            Table(stories) {
                Column("name") { $0.path }
                Column("link") { $0.link }
                Column("module") { $0.module }
                Column("state") { $0.state }
            }
            ClosingLine.total(stories.count, "story")
        }
    }

    static func shown(
        _ story: StoryRegistration, _ shown: ShownStory, in environment: Environment
    ) -> Content {
        Content {
            shown.content
            if environment == .mock, let command = use(of: story) {
                Notice(.information, "This is a look at the screen. To use it:", hint: command)
            } else if environment != .mock {
                Notice(
                    .information, "This is a look at the screen. It can be used in environment mock.",
                    hint: "atrium --env mock")
            }
        }
    }

    /// The line that opens the screen with its scenario in environment mock; nil if none does.
    private static func use(of story: StoryRegistration) -> String? {
        guard let link = story.link, story.story.loads, !story.story.isEmpty, story.story.scenarios.isEmpty
        else {
            return nil
        }
        let scenario = story.story.scenario
        return (scenario == .success ? "" : "mock set \(story.module) \(scenario.rawValue); ")
            + "open \(link)"
    }
}
