import FoundationEssentials
import SwiftSyntax

/// A source file with its occurrences of symbols.
final class CodeFile {
    let path: String
    /// The target's top folder that contains it; nil for a file beside the folders.
    let folder: String?
    let text: String
    let occurrences: [Occurrence]
    /// Parsed on first use, since most rules read the index only.
    private(set) lazy var syntax = SyntaxTree(text)

    init(path: String, in target: CheckedTarget, occurrences: [Occurrence]) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CheckError("\(path) can't be read")
        }
        let parts = path.dropFirst(target.folder.count + 1).split(separator: "/")
        self.path = path
        folder = parts.count > 1 ? String(parts[0]) : nil
        text = String(decoding: data, as: UTF8.self)
        self.occurrences = occurrences
    }

    /// The token at which a symbol occurs.
    func token(at occurrence: Occurrence) -> TokenSyntax? {
        syntax.token(line: occurrence.line, column: occurrence.column)
    }

    /// The occurrence at a token, other than of accessors; nil for a keyword or a local name.
    func occurrence(at token: TokenSyntax) -> Occurrence? {
        let location = syntax.location(of: token)
        var (low, high) = (0, occurrences.count)
        while low < high {
            let middle = (low + high) / 2
            let isBefore =
                (occurrences[middle].line, occurrences[middle].column) < (location.line, location.column)
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return occurrences[low...].prefix { $0.line == location.line && $0.column == location.column }
            .first { !$0.symbol.isAccessor }
    }

    func symbol(at token: TokenSyntax) -> Symbol? { occurrence(at: token)?.symbol }

    func symbols(in node: some SyntaxProtocol) -> [Symbol] {
        node.tokens.compactMap(symbol(at:))
    }
}

struct CheckedTarget {
    /// Absolute, with symbolic links resolved, as in the index.
    let folder: String
    let role: Role

    enum Role: Equatable {
        /// A feature module; `providesTransport` if its manifest provides the HTTP transport.
        case module(providesTransport: Bool)
        /// The library that modules see.
        case sdk
        case host
    }

    var isModule: Bool {
        if case .module = role { true } else { false }
    }

    /// - Throws: ``CheckError`` if the folder does not exist.
    init(_ path: String, role: Role) throws {
        folder = URL(filePath: path).resolvingSymlinksInPath().path
        self.role = role
        var isFolder = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder
        else { throw CheckError("\(path) is no folder; name the folder of a target's sources") }
    }

    /// A feature module with its manifest.
    static func module(_ path: String) throws -> CheckedTarget {
        let file = try CheckedTarget(path, role: .module(providesTransport: false)).folder + "/module.json"
        guard let data = FileManager.default.contents(atPath: file) else {
            throw CheckError("\(file) is missing; a feature module has its manifest beside its sources")
        }
        guard let manifest = try? JSONDecoder().decode(Manifest.self, from: data) else {
            throw CheckError("\(file) can't be read as a manifest; 'swift build' says what is wrong with it")
        }
        let providesTransport = manifest.provides?.contains("HTTPTransport") ?? false
        return try CheckedTarget(path, role: .module(providesTransport: providesTransport))
    }

    private struct Manifest: Decodable {
        let provides: [String]?
    }
}
