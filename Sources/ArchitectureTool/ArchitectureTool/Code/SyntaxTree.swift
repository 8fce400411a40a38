import SwiftParser
import SwiftSyntax

/// The syntax of a source file, for facts that the index lacks: statements, operators, modifiers.
///
/// Includes code under `#if` that was not compiled.
struct SyntaxTree {
    private let positions: SourceLocationConverter
    private let root: SourceFileSyntax
    /// All nodes in the order of the source.
    private let nodes: [Syntax]

    init(_ text: String) {
        root = Parser.parse(source: text)
        positions = SourceLocationConverter(fileName: "", tree: root)
        nodes = root.descendants
    }

    func nodes<Node: SyntaxProtocol>(_ type: Node.Type) -> [Node] {
        nodes.compactMap { $0.as(type) }
    }

    func token(line: Int, column: Int) -> TokenSyntax? {
        root.token(at: positions.position(ofLine: line, column: column))
    }

    func location(of node: some SyntaxProtocol) -> SourceLocation {
        positions.location(for: node.positionAfterSkippingLeadingTrivia)
    }
}

extension SyntaxProtocol {
    /// The node and all nodes below it, without tokens.
    var descendants: [Syntax] {
        var found = [Syntax(self)]
        func add(_ node: Syntax) {
            for child in node.children(viewMode: .sourceAccurate) where !child.is(TokenSyntax.self) {
                found.append(child)
                add(child)
            }
        }
        add(found[0])
        return found
    }

    var tokens: TokenSequence { tokens(viewMode: .sourceAccurate) }

    /// The innermost node of a type that is or contains this one.
    func enclosing<Node: SyntaxProtocol>(_ type: Node.Type) -> Node? {
        ancestorOrSelf { $0.as(type) }
    }
}

extension AttributeSyntax {
    var name: String { attributeName.trimmedDescription }
}

extension VariableDeclSyntax {
    var isVariable: Bool { bindingSpecifier.text == "var" }

    func has(_ names: String...) -> Bool {
        modifiers.contains { names.contains($0.name.text) }
    }
}

extension PatternBindingSyntax {
    /// True if it has no accessors other than observers.
    var isStored: Bool {
        guard let accessors = accessorBlock?.accessors else { return true }
        guard case .accessors(let list) = accessors else { return false }
        return list.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }
}
