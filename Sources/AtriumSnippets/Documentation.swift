@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage

/// A declaration of AtriumKit or of a module, with its documentation.
package struct DocumentedDeclaration: Sendable {
    package let module: String
    /// With the types around it: `RecordRepository.record(_:)`.
    package let name: String
    /// In words: `instance method`.
    package let kind: String
    package let code: String
    /// The lines of its comment.
    package let text: [String]
    /// `FILE:LINE`, where the file is on this machine.
    package let source: String?
}

/// The declarations in a symbol graph, as the toolchain writes it.
struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Kind: Decodable { let displayName: String }
        struct Line: Decodable { let text: String }
        struct Comment: Decodable { let lines: [Line] }
        struct Fragment: Decodable { let spelling: String }
        struct Location: Decodable {
            /// From 0.
            struct Position: Decodable { let line: Int }
            let uri: String
            let position: Position
        }
        let kind: Kind
        let pathComponents: [String]
        let docComment: Comment?
        let declarationFragments: [Fragment]?
        let location: Location?
    }
    let symbols: [Symbol]

    static let largest = 256 << 20

    init(_ text: String) throws { self = try StateCoding.decode(SymbolGraph.self, from: text) }

    /// The declarations of a name: `record`, `record(_:)`, `RecordRepository.record` or with its module.
    func declarations(of name: String, in module: String) -> [DocumentedDeclaration] {
        symbols.filter { Self.matches([module] + $0.pathComponents, name) }.map { symbol in
            DocumentedDeclaration(
                module: module, name: symbol.pathComponents.joined(separator: "."),
                kind: symbol.kind.displayName.lowercased(),
                code: (symbol.declarationFragments ?? []).map(\.spelling).joined(),
                text: symbol.docComment?.lines.map(\.text) ?? [],
                source: symbol.location.flatMap(Self.source))
        }
    }

    private static func source(_ location: Symbol.Location) -> String? {
        let scheme = "file://"
        let path = String(location.uri.dropFirst(scheme.count))
        guard location.uri.hasPrefix(scheme), FileSystem.exists(path) else { return nil }
        return "\(path):\(location.position.line + 1)"
    }

    private static func matches(_ path: [String], _ name: String) -> Bool {
        let plain = path.map { String($0.prefix { $0 != "(" }) }
        return [path, plain].contains { parts in
            parts.indices.contains { parts[$0...].joined(separator: ".") == name }
        }
    }
}

extension SnippetCompiler {
    /// The declarations of a name in AtriumKit and these modules, by the toolchain.
    ///
    /// A module without an interface is left out.
    package func declarations(of name: String, in modules: [Module]) async throws -> [DocumentedDeclaration] {
        let toolchain = try await toolchain()
        // Not the folder of the snippets, nor one for several calls: a graph is removed with it.
        let scratch = try ScratchFolder()
        var found: [DocumentedDeclaration] = []
        let searched = [(name: "AtriumKit", [])] + modules.map { ($0.name, [$0].searchOptions) }
        for (module, options) in searched {
            let words = toolchain.symbolGraph(of: module, options + ["-I", kit], in: scratch.path)
            let path = scratch.path("\(module).symbols.json")
            guard try await Self.output(words).isSuccess,
                let bytes = try? FileContents.read(path, limit: SymbolGraph.largest)
            else { continue }
            found += try await SystemThread.run {
                try SymbolGraph(String(decoding: bytes, as: UTF8.self)).declarations(of: name, in: module)
            }
        }
        return found
    }
}
