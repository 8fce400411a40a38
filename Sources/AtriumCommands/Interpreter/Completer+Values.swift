@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumLibraries
internal import AtriumNavigation
internal import AtriumStorage
package import AtriumText

/// Completes words that are not names of commands: paths, environment variables, parts of links, and values
/// that were seen on screens.
extension Completer {
    /// The values of an argument; for a path or a secret, also from outside the host.
    func values(
        of argument: ArgumentDescription, in action: Declaration, typing text: String, on link: String?
    ) -> [CompletionCandidate] {
        if argument.isSecret { return secrets(typing: text) }
        if argument.isFile || HostCommands.pathArguments[action.name] == argument.name {
            return paths(typing: text) + argument.suggestions.map { CompletionCandidate(text: $0) }
        }
        var values = argument.choices.isEmpty ? argument.suggestions : argument.choices
        if values.isEmpty { values = scene.seen(argument.name, on: link) }
        return values.map { CompletionCandidate(text: $0, isFinal: !$0.hasSuffix("/") && !$0.hasSuffix("=")) }
    }

    /// References to secrets: `@env:NAME` and `@file:PATH`.
    private func secrets(typing text: String) -> [CompletionCandidate] {
        if text.hasPrefix("@file:") {
            return paths(typing: String(text.dropFirst(6))).map { candidate in
                CompletionCandidate(text: "@file:" + candidate.text, isFinal: candidate.isFinal)
            }
        }
        guard !text.hasPrefix("@env:") else { return Self.environmentVariables }
        guard text.hasPrefix("@") else { return [] }
        return [
            CompletionCandidate(text: "@env:", summary: "A variable of the environment", isFinal: false),
            CompletionCandidate(text: "@file:", summary: "The first line of a file", isFinal: false),
        ]
    }

    /// The variables of this process's environment, as references to secrets.
    package static var environmentVariables: [CompletionCandidate] {
        ProcessVariables.all.keys.sorted().map { CompletionCandidate(text: "@env:" + $0) }
    }

    /// The files and folders with which a path may continue; hidden ones only if a dot was typed.
    func paths(typing text: String) -> [CompletionCandidate] {
        let name = text.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let folder = text.dropLast(name.count)
        if text == "~" { return [CompletionCandidate(text: "~/", isFinal: false)] }
        guard let path = try? scene.path(folder.isEmpty ? "./" : String(folder)) else { return [] }
        let entries = (Folder.names(in: path) ?? []).filter {
            $0.hasPrefix(name) && (!$0.hasPrefix(".") || name.hasPrefix("."))
        }
        return entries.prefix(Self.mostPaths).map { entry in
            let isFolder = FileStatus(of: "\(path)/\(entry)")?.kind == .folder
            return CompletionCandidate(text: folder + entry + (isFolder ? "/" : ""), isFinal: !isFolder)
        }.sorted { $0.text < $1.text }
    }

    private static let mostPaths = 10_000

    /// Completes a link that is being typed: the values in its path, the names and values of its query.
    ///
    /// Only where links are offered for the word.
    func linkParts(typing text: String, among offered: [CompletionCandidate]) -> [CompletionCandidate] {
        if let question = text.firstIndex(of: "?") {
            let path = String(text[..<question])
            guard
                offered.contains(where: {
                    $0.text == path || path.hasPrefix($0.text) && $0.text.hasSuffix("/")
                })
            else { return [] }
            return queryParts(of: path, typing: text[text.index(after: question)...])
        }
        guard text.contains("/"),
            let start = offered.first(where: { $0.text.hasSuffix("/") && text.hasPrefix($0.text) })
        else { return [] }
        let list = String(start.text.dropLast())
        return scene.seen("id", on: list).map {
            CompletionCandidate(text: start.text + PercentEncoding.encodeSegment($0))
        }
    }

    private func queryParts(of path: String, typing query: Substring) -> [CompletionCandidate] {
        guard let link = try? Link(path), let screen = host.screens.screen(for: link) else { return [] }
        let part = query.split(separator: "&", omittingEmptySubsequences: false).last ?? ""
        let before = path + "?" + query.dropLast(part.count)
        let used = query.split(separator: "&").map { $0.prefix { $0 != "=" } }
        guard let equals = part.firstIndex(of: "=") else {
            return screen.queryNames().filter { name in !used.contains { $0 == name } || name.hasPrefix(part)
            }.map {
                CompletionCandidate(text: before + $0 + "=", isFinal: false)
            }
        }
        let name = String(part[..<equals])
        let arguments = (interpreter.declared.actions(of: screen) ?? []).flatMap(\.arguments)
        let argument = arguments.first { $0.name == name && !($0.choices + $0.suggestions).isEmpty }
        let values =
            argument.map { $0.choices.isEmpty ? $0.suggestions : $0.choices } ?? scene.seen(name, on: path)
        return values.map { CompletionCandidate(text: "\(before)\(name)=\(PercentEncoding.encode($0))") }
    }
}

extension HostCommands {
    /// Arguments that are paths, though their type does not say so, by command.
    static let pathArguments = ["module add": "path"]
}
