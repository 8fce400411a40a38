import FoundationEssentials
import Glibc
import SwiftParser
import SwiftSyntax

/// A source file of a module, parsed on first use.
final class SourceFile {
    let path: String
    /// The text, and a zero, where C functions end.
    private let text: [UInt8]
    private(set) lazy var tree: SourceFileSyntax = text.withUnsafeBufferPointer {
        isParsed = true
        return Parser.parse(source: UnsafeBufferPointer(rebasing: $0.dropLast()))
    }
    /// The types and extensions of the file, nested ones too; those under `#if` are left out.
    private(set) lazy var types: [DeclaredType] = {
        var found: [DeclaredType] = []
        collect(tree.statements.compactMap { $0.item.as(DeclSyntax.self) }, in: [], &found)
        return found
    }()
    /// The types that aliases outside of types stand for.
    private(set) lazy var aliases: [String: TypeName] = aliasedTypes.mapValues { TypeName($0) }
    /// The same, as the code writes them; generic aliases are left out.
    private(set) lazy var aliasedTypes: [String: TypeSyntax] = tree.statements.reduce(into: [:]) {
        aliases, item in
        guard let alias = item.item.as(TypeAliasDeclSyntax.self), alias.genericParameterClause == nil else {
            return
        }
        aliases[alias.name.text] = alias.initializer.value
    }
    private lazy var positions = SourceLocationConverter(fileName: path, tree: tree)
    private var isParsed = false

    /// Reads a file; nil if it can't be read, which the compiler reports.
    init?(_ path: String) {
        guard let text = FileManager.default.contents(atPath: path) else { return nil }
        self.path = path
        self.text = text + [0]
    }

    /// True if the file was parsed and is not valid Swift, which the compiler reports.
    var isBroken: Bool { isParsed && tree.hasError }

    /// True if the text has one of these words, also in comments: a cheap reason not to parse the file.
    func contains(_ words: [String]) -> Bool {
        words.contains { find($0) { _ in true } }
    }

    /// True if the text may declare or extend a type of this name.
    func mayDeclare(_ name: String) -> Bool {
        ["struct", "enum", "class", "actor", "extension"].contains { keyword in
            find("\(keyword) \(name)") { next in
                !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next | 0x20)
                    && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) && next != UInt8(ascii: "_")
            }
        }
    }

    /// True if the text has a word, and after it a byte that is accepted.
    private func find(_ word: String, before accepts: (UInt8) -> Bool) -> Bool {
        text.withUnsafeBytes { text in
            guard var rest = text.assumingMemoryBound(to: CChar.self).baseAddress else { return false }
            while let match = strstr(rest, word) {
                let end = match + word.utf8.count
                if accepts(UInt8(bitPattern: end.pointee)) { return true }
                rest = UnsafePointer(end)
            }
            return false
        }
    }

    func location(of node: some SyntaxProtocol) -> SourceLocation {
        positions.location(for: node.positionAfterSkippingLeadingTrivia)
    }

    func problem(at node: some SyntaxProtocol, _ message: String) -> CodeProblem {
        let location = location(of: node)
        return CodeProblem(path: path, line: location.line, column: location.column, message: message)
    }

    private func collect(_ declarations: [DeclSyntax], in outer: [String], _ found: inout [DeclaredType]) {
        for declaration in declarations {
            guard let group = declaration.asProtocol((any DeclGroupSyntax).self) else { continue }
            let names: [String]
            if let named = declaration.asProtocol((any NamedDeclSyntax).self) {
                names = [named.name.text]
            } else if let extended = declaration.as(ExtensionDeclSyntax.self)?.extendedType {
                names = TypeName(extended).path
            } else {
                continue
            }
            let isExtension = declaration.is(ExtensionDeclSyntax.self)
            found.append(
                DeclaredType(path: outer + names, file: self, group: group, isExtension: isExtension))
            collect(group.memberBlock.members.map(\.decl), in: outer + names, &found)
        }
    }
}

struct DeclaredType {
    /// The names of the types around it, and its own.
    let path: [String]
    let file: SourceFile
    let group: any DeclGroupSyntax
    let isExtension: Bool
}

/// A problem in the code, as compilers print it.
struct CodeProblem: Error, CustomStringConvertible {
    let path: String
    let line: Int
    let column: Int
    let message: String

    var description: String { "\(path):\(line):\(column): error: \(message)" }
}
