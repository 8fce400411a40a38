@_spi(Host) package import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage
package import AtriumText

/// The accepted texts of a module's stories: `Stories/Shop/sold-out.txt` in the package of module Shop.
///
/// A module without such a folder has none, and nothing is compared.
@MainActor
package struct AcceptedStories {
    /// Relative to the package.
    private let name: String
    private let folder: String
    private let updates: Bool

    /// - Parameters:
    ///   - module: The module.
    ///   - package: The folder of its package.
    ///   - updates: True if the texts are written instead of compared.
    package init?(of module: String, in package: String, updates: Bool) {
        name = "Stories/\(module)"
        folder = "\(package)/\(name)"
        self.updates = updates
        guard updates || FileStatus(of: folder)?.kind == .folder else { return nil }
    }

    private static let ending = ".txt"
    private static let update = "atrium verify --module PACKAGE --update"
    private static let hint = "If it is right, accept it: \(update)"

    /// Compares a story's lines at each width with the accepted ones, or accepts them.
    func problem(of story: StoryRegistration, _ screens: [(width: Int, lines: [String])]) -> ShellError? {
        let path = "\(folder)/\(story.story.slug)\(Self.ending)"
        let lines = screens.flatMap { width, lines in [Self.mark(width)] + lines + [""] }.dropLast()
        do {
            if updates {
                try write(lines.joined(separator: "\n") + "\n", to: path)
                return nil
            }
            guard let bytes = try FileContents.readIfPresent(path) else {
                return ShellError(
                    "storyNotAccepted", "The story '\(story.path)' has no accepted text.", hint: Self.hint)
            }
            var accepted = String(decoding: bytes, as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            if accepted.last == "" { accepted.removeLast() }
            return difference(of: story, Array(lines), accepted)
        } catch {
            let error = ShellError.explain(error)
            return ShellError("storyNotAccepted", error.message, hint: error.hint)
        }
    }

    private static func mark(_ width: Int) -> String { "-- \(width) columns --" }

    private func write(_ text: String, to path: String) throws {
        _ = try Folder.make(folder)
        let file = try AtomicFile(path, replaces: true)
        try file.write(Array(text.utf8))
        try file.finish()
    }

    private func difference(
        of story: StoryRegistration, _ lines: [String], _ accepted: [String]
    ) -> ShellError? {
        guard lines != accepted else { return nil }
        let index = zip(lines, accepted).prefix { $0 == $1 }.count
        let width = StoryStage.widths.last { lines.prefix(index + 1).contains(Self.mark($0)) }
        func shown(_ lines: [String]) -> String? {
            lines.indices.contains(index) ? "'\(lines[index].printable)'" : nil
        }
        return ShellError(
            "storyChanged",
            "The story '\(story.path)' differs from its accepted text at \(width ?? 0) columns: line \(index + 1) is "
                + "\(shown(lines) ?? "missing"), expected \(shown(accepted) ?? "no line").", hint: Self.hint)
    }

    /// Reports texts whose story is gone, or removes them.
    package func leftovers(of stories: [StoryRegistration]) -> [ShellError] {
        let known = Set(stories.map { $0.story.slug + Self.ending })
        let left = (Folder.names(in: folder) ?? []).filter {
            $0.hasSuffix(Self.ending) && !known.contains($0)
        }
        guard updates else {
            return left.sorted().map {
                ShellError(
                    "storyNotAccepted", "No story has the accepted text '\(name)/\($0)'.",
                    hint: "To remove it: \(Self.update)")
            }
        }
        for name in left { FileSystem.remove("\(folder)/\(name)") }
        return []
    }
}
