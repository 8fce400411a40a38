@_spi(Host) internal import AtriumKit
internal import AtriumModules
internal import AtriumSnippets
internal import AtriumViews

/// Help about declarations of AtriumKit and of modules.
extension Help {
    /// Explains the topic that words name, or shows the declarations of that name.
    ///
    /// - Throws: ``ShellError`` if there is neither, or ``SnippetError`` if declarations can't be read.
    func explanation(of words: [String]) async throws -> Content {
        let name = words.joined(separator: ".")
        do {
            return try content(about: words)
        } catch let unknown where (1...2).contains(words.count) && Self.mayBeDeclared(name) {
            do {
                let found = try await declarations(of: name)
                guard !found.isEmpty else { throw unknown }
                return DocViews.list(found)
            } catch let obstacle as SnippetError {
                throw topics.contains(words[0]) || !isTopic(words[0]) ? obstacle : unknown
            }
        }
    }

    /// True for words such as `Shelf.add(_:)`.
    ///
    /// Others are not looked for in code, which takes a second.
    nonisolated static func mayBeDeclared(_ word: String) -> Bool {
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        return word.first?.isUppercase == true
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { $0.isLetter || $0.isNumber || "_(:)".contains($0) }
            }
    }

    private func declarations(of name: String) async throws -> [DocumentedDeclaration] {
        try await scene.snippetRunner.declarations(of: declaredName(of: name))
    }

    /// The name in code of a type that users know by another: `RecordRepository` for `EntityRepository`.
    private func declaredName(of name: String) -> String {
        let node = scene.host.runtime.container.graph.nodes.first { $0.name == name && !$0.code.isEmpty }
        // `any RecordService<Entity>`
        guard let type = node?.code.split(separator: " ").last else { return name }
        return String(type.prefix { $0 != "<" })
    }
}
