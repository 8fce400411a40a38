@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumModules
package import AtriumText

/// Completes Swift code after `swift`, by the toolchain's SourceKit.
extension Completer {
    private static let limit = Duration.seconds(1)

    /// The candidates for the code that ends at `cursor`, also those of a line without code.
    ///
    /// There are none without a toolchain, and if SourceKit takes longer than a second.
    package func completionsWithCode(of line: String, at cursor: Int) async -> CompletionList {
        let typed = String(decoding: line.utf8.prefix(cursor), as: UTF8.self)
        guard let start = Lexer.codeStart(in: typed) else { return completions(of: line, at: cursor) }
        let code = String(decoding: typed.utf8.dropFirst(start), as: UTF8.self)
        let prefix = String(code.reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" }.reversed())
        var list = CompletionList(start: cursor - prefix.utf8.count, candidates: [])
        guard interpreter.permission.allows(command: SwiftCode.word), prefix.first?.isNumber != true else {
            return list
        }
        let found = try? await withTimeLimit(Self.limit, of: "Completion") {
            try await scene.snippetRunner.completions(of: code, typing: prefix)
        }
        guard let found else { return list }
        let names = code.dropLast(prefix.count).last == "." ? [] : names(typing: prefix, after: code)
        var seen: Set<String> = []
        list.candidates = (found + names).filter { seen.insert($0.text + ($0.summary ?? "")).inserted }
        return list
    }

    /// The registered types and the modules, whose interface is imported once code names them; only modules for an
    /// import.
    private func names(typing prefix: String, after code: String) -> [CompletionCandidate] {
        let isImport = code.split(separator: " ").first == "import"
        let types = isImport ? [] : host.runtime.container.graph.nodes.filter { !$0.code.isEmpty }
        let names =
            types.map { ($0.name, $0.module.map { "A type of \($0)" }) }
            + host.runtime.modules.filter { $0.current != nil }.map { ($0.name, "A module") }
        return names.filter { name, _ in
            name.hasPrefix(prefix) && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }.sorted { $0.0 < $1.0 }.map { CompletionCandidate(text: $0, summary: $1, isFinal: false) }
    }
}
