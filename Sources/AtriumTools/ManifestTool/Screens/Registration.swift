import SwiftSyntax

/// A call in which a module registers screens: `registry.screen(…)` or `registry.records(…)`.
struct Registration {
    enum Kind: String {
        case screen, records
    }

    let kind: Kind
    let call: FunctionCallExprSyntax
    let file: SourceFile

    static let words = ["screen(", "records("]

    static func all(in file: SourceFile) -> [Registration] {
        let collector = Collector(file)
        collector.walk(file.tree)
        return collector.found
    }

    /// The type whose metatype is the first argument.
    func type() throws -> TypeName {
        if call.hasAncestor(IfConfigClauseSyntax.self) {
            throw problem(
                "the build can't tell whether this registration under '#if' is compiled; "
                    + "\(ScreenReader.byHand)")
        }
        guard let first = call.arguments.first, first.label == nil,
            let name = TypeName(metatype: first.expression)
        else {
            throw problem(
                "the build can't read which type is registered here; write it as in "
                    + "'\(kind.rawValue)(\(kind == .screen ? "Detail" : "Book").self)', or "
                    + "\(ScreenReader.byHand)")
        }
        return name
    }

    func problem(_ message: String) -> CodeProblem {
        guard let name = call.calledName else { return file.problem(at: call, message) }
        return file.problem(at: name, message)
    }
}

/// Finds the registrations of a file, in order.
private final class Collector: SyntaxVisitor {
    private let file: SourceFile
    /// The names of parameters of type `ModuleRegistry`; those of closures without types are `registry`.
    private var registries: Set<String> = ["registry"]
    private(set) var found: [Registration] = []

    init(_ file: SourceFile) {
        self.file = file
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        if TypeName(node.type).path.last == "ModuleRegistry" {
            registries.insert((node.secondName ?? node.firstName).text)
        }
        return .skipChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if let kind = node.calledName.flatMap({ Registration.Kind(rawValue: $0.text) }), isOfRegistry(node) {
            found.append(Registration(kind: kind, call: node, file: file))
        }
        return .visitChildren
    }

    private func isOfRegistry(_ call: FunctionCallExprSyntax) -> Bool {
        guard let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base else {
            return call.calledExpression.is(DeclReferenceExprSyntax.self) && isInRegistry(call)
        }
        if let access = base.as(MemberAccessExprSyntax.self) {
            return registries.contains(access.declName.baseName.text)
        }
        guard let name = base.as(DeclReferenceExprSyntax.self)?.baseName else { return false }
        return name.tokenKind == .keyword(.self) ? isInRegistry(call) : registries.contains(name.text)
    }

    private func isInRegistry(_ call: FunctionCallExprSyntax) -> Bool {
        let owner = call.ancestorOrSelf { $0.as(ExtensionDeclSyntax.self) }
        return owner.map { TypeName($0.extendedType).path == ["ModuleRegistry"] } ?? false
    }
}

extension SyntaxProtocol {
    func hasAncestor<Node: SyntaxProtocol>(_ type: Node.Type) -> Bool {
        ancestorOrSelf { $0.as(type) } != nil
    }
}
