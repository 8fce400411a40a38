@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage
internal import Glibc

extension SnippetCompiler {
    /// What may follow unfinished code, best first, by the toolchain's SourceKit; each begins with `prefix`,
    /// with which the code ends.
    ///
    /// `closing` ends the texts and brackets that are open there. The code is not run. A child process answers:
    /// 0.2 s, with 110 MB meanwhile.
    ///
    /// - Throws: ``SnippetError`` without a toolchain, and `CancellationError`, which ends the child.
    package func completions(
        of code: String, typing prefix: String, closing: String = "", naming modules: [Module],
        aliases: [(name: String, type: String)]
    ) async throws -> [SourceKit.Candidate] {
        let toolchain = try await toolchain()
        guard FileSystem.exists(toolchain.sourceKit) else { return [] }
        // Instead of the prefix, so that a value has one: `let x = `.
        let placeholder = "_"
        let source = try SnippetSource(
            code.dropLast(prefix.count) + placeholder + closing, module: "Completion",
            imports: lines(importing: modules), aliases: aliases, known: kept.definitions, isUnfinished: true)
        let used = kept.used(naming: modules)
        let file = scratch.path("\(source.module).swift")
        let text = try SourceKit.request(
            source.text, at: source.end - (placeholder + closing).utf8.count, prefix: prefix,
            ofModules: source.imported != nil, file: file,
            arguments: [file, "-target", toolchain.target, "-module-name", source.module]
                + options(used))
        let request = scratch.path("\(source.module).json")
        defer { unlink(request) }
        try AtomicFile.write(
            Array(
                try StateCoding.encode(SourceKit.Request(library: toolchain.sourceKit, text: text)).utf8),
            to: request, synchronizing: false)
        let answer = try await Self.output([executable, "--sourcekit", request]).text
        let found = (try? StateCoding.decode(SourceKit.Answer.self, from: answer))?.candidates ?? []
        let ours = source.imported == nil ? [] : interfaces(in: [kit, scratch.path] + used.map(\.interfaces))
        return found.filter { !$0.isHidden(typing: prefix) && !ours.contains(Self.module(in: $0.text)) }
    }

    /// The modules with interfaces in folders, of which code can import only those that are active.
    private func interfaces(in folders: [String]) -> Set<Substring> {
        Set(folders.flatMap { Folder.names(in: $0) ?? [] }.map(Self.module))
    }

    /// The module of an interface's file, and of a name such as `AtriumKit.private`.
    private static func module(in name: String) -> Substring { name.prefix { $0 != "." } }
}
