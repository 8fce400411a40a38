@_spi(Host) internal import AtriumKit
internal import AtriumModules
internal import AtriumSnippets
internal import AtriumText
internal import AtriumViews

/// The command that shows documentation.
extension HostCommands {
    var doc: Action {
        Action(
            "doc", "Show the documentation of a command, action, screen, module, type or function",
            effect: .reads,
            Argument<[String]>(
                "name", "Such as entities, RecordRepository or RecordRepository.record",
                suggestions: offersNames ? host.runtime.container.graph.nodes.map(\.name).uniqued : [])
        ) { words in
            guard let first = words.first else {
                throw ArgumentError(
                    .missingArgument, "'doc' needs a name.", hint: "doc RecordRepository.record")
            }
            do {
                return .content(try Help(scene: scene).content(about: words))
            } catch let unknown as any ExplainedError where words.count > 1 {
                throw unknown
            } catch {
                return .content(DocViews.list(try await declarations(of: first)))
            }
        }
    }

    /// - Throws: ``ShellError`` if there are none.
    private func declarations(of name: String) async throws -> [DocumentedDeclaration] {
        let declared = declaredName(of: name)
        let found = try await snippets.declarations(of: declared)
        guard found.isEmpty else { return found }
        let types = host.runtime.container.graph.nodes.map(\.name).uniqued
        throw ShellError.unknown(
            .notFound, name, among: types, else: "'help' lists the commands, 'container' the types."
        ) { "Nothing called '\($0)' is declared." }
    }

    /// The name in code of a type that users know by another: `RecordRepository` for `EntityRepository`.
    private func declaredName(of name: String) -> String {
        let node = host.runtime.container.graph.nodes.first { $0.name == name && !$0.code.isEmpty }
        // `any RecordService<Entity>`
        guard let type = node?.code.split(separator: " ").last else { return name }
        return String(type.prefix { $0 != "<" })
    }
}
