import AtriumManifest
import SwiftParser
import SwiftSyntax

/// Reads the contribution points that a module's sources declare, each with the type of its elements.
///
/// A point is a literal name in `ContributionPoint<Offer>("offers")`, in a variable of type
/// `ContributionPoint<Offer>`, or in an extension `where Element == Offer`. What can't be read is left out: the
/// host finds its faults when the module is loaded.
struct PointReader {
    /// The points, in the order of their names.
    let points: [PointDeclaration]

    init(_ code: ModuleCode) {
        let files = code.files.filter { $0.contains(["ContributionPoint"]) }
        let found = files.flatMap { $0.tree.all(FunctionCallExprSyntax.self).compactMap(Self.point) }
        var names: Set<String> = []
        points = found.sorted { $0.name < $1.name }.filter { names.insert($0.name).inserted }.map {
            PointDeclaration(name: $0.name, element: Self.text(of: $0.element, code))
        }
    }

    /// The source of a type on one line, with the module's aliases of plain types replaced, also in aliases.
    private static func text(of type: TypeSyntax, _ code: ModuleCode, depth: Int = 0) -> String {
        var text = ""
        for token in type.tokens(viewMode: .sourceAccurate) {
            var word = token.text
            if case .identifier = token.tokenKind, token.parent?.is(IdentifierTypeSyntax.self) == true,
                depth < 8,
                let alias = code.files.lazy.compactMap({ $0.aliasedTypes[word] }).first
            {
                word = Self.text(of: alias, code, depth: depth + 1)
            }
            let isNewLine = !token.leadingTrivia.isEmpty && text.last.map { !"([".contains($0) } ?? false
            text += (isNewLine ? " " : "") + word + (token.trailingTrivia.isEmpty ? "" : " ")
        }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension PointReader {
    /// The point that a call makes; nil if it makes none.
    private static func point(_ call: FunctionCallExprSyntax) -> (name: String, element: TypeSyntax)? {
        guard call.arguments.count == 1, let only = call.arguments.first, only.label == nil,
            let name = only.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
        else { return nil }
        return element(of: call).map { (name, $0) }
    }

    /// The type of the elements if a call makes a point; nil otherwise.
    private static func element(of call: FunctionCallExprSyntax) -> TypeSyntax? {
        let called = call.calledExpression
        if let generic = called.as(GenericSpecializationExprSyntax.self) {
            guard isPoint(generic.expression.trimmedDescription) else { return nil }
            return generic.genericArgumentClause.arguments.first?.argument.as(TypeSyntax.self)
        }
        let name = called.trimmedDescription
        guard isPoint(name) || ["Self", ".init"].contains(name) else { return nil }
        let binding = call.ancestorOrSelf { $0.as(PatternBindingSyntax.self) }
        if let type = binding?.typeAnnotation?.type, let annotated = element(of: type) {
            return annotated
        }
        guard let owner = call.ancestorOrSelf(mapping: { $0.as(ExtensionDeclSyntax.self) }),
            isPoint(owner.extendedType.trimmedDescription)
        else { return nil }
        for requirement in owner.genericWhereClause?.requirements ?? [] {
            guard case .sameTypeRequirement(let same) = requirement.requirement,
                same.leftType.trimmedDescription == "Element"
            else { continue }
            return same.rightType.as(TypeSyntax.self)
        }
        return element(of: owner.extendedType)
    }

    /// The argument of `ContributionPoint<Offer>`.
    private static func element(of type: TypeSyntax) -> TypeSyntax? {
        guard let named = type.as(IdentifierTypeSyntax.self), named.name.text == "ContributionPoint" else {
            return nil
        }
        return named.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self)
    }

    private static func isPoint(_ name: String) -> Bool {
        name == "ContributionPoint" || name.hasPrefix("ContributionPoint<")
    }
}
