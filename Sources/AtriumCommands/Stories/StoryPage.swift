@_spi(Host) internal import AtriumKit
internal import AtriumText

/// The page of stories: each at the widest of three widths that fits the reader's window.
@MainActor
enum StoryPage {
    struct Rendering {
        let width: Int
        let screen: ShownStory
    }

    static func html(of stories: [(story: StoryRegistration, renderings: [Rendering])]) -> String {
        var (body, module) = ([contents(of: stories.map(\.story))], "")
        for (story, renderings) in stories {
            if story.module != module { body.append("<h2>\(story.module.xmlEscaped)</h2>") }
            module = story.module
            body.append("<h3 id=\"\(story.path.xmlEscaped)\">\(story.story.name.xmlEscaped)</h3>")
            body.append("<p><code>\((story.link ?? "").xmlEscaped)</code>, \(story.state.xmlEscaped)</p>")
            body += renderings.map { rendering in
                let lines = rendering.screen.lines(width: rendering.width, isColored: true)
                let text = lines.map { StyledLine($0).html }.joined(separator: "\n")
                return "<pre class=\"w\(rendering.width)\">\(text)</pre>"
            }
        }
        return MarkupStyle.page("Stories", rules: rules, body)
    }

    private static func contents(of stories: [StoryRegistration]) -> String {
        let items = stories.map { story in
            "<li><a href=\"#\(story.path.xmlEscaped)\">\(story.path.xmlEscaped)</a></li>"
        }
        return "<nav><ul>\n\(items.joined(separator: "\n"))\n</ul></nav>"
    }

    /// A column is 8.4 pixels wide, and a page has margins.
    private static let rules = """
        nav ul { columns: 16em; padding-left: 1em }
        .w80, .w120 { display: none }
        @media (min-width: 760px) { .w40 { display: none } .w80 { display: block } }
        @media (min-width: 1100px) { .w80 { display: none } .w120 { display: block } }
        """
}
