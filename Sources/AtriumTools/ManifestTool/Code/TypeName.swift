import SwiftSyntax

/// The name of a type in the code, such as `Screens.Detail` or `RecordDestination<Book>`.
struct TypeName: CustomStringConvertible {
    /// The names of the types around it, and its own.
    let path: [String]
    let arguments: [TypeName]

    var description: String { path.joined(separator: ".") }

    init(_ type: TypeSyntax) {
        if let identifier = type.as(IdentifierTypeSyntax.self) {
            self.init([identifier.name.text], identifier.genericArgumentClause)
        } else if let member = type.as(MemberTypeSyntax.self) {
            self.init(TypeName(member.baseType).path + [member.name.text], member.genericArgumentClause)
        } else if let attributed = type.as(AttributedTypeSyntax.self) {
            self.init(attributed.baseType)
        } else {
            self.init([type.trimmedDescription], nil)
        }
    }

    /// Reads `Detail` in `Detail.self`; nil if the expression is another one.
    init?(metatype expression: ExprSyntax) {
        guard let access = expression.as(MemberAccessExprSyntax.self),
            access.declName.baseName.tokenKind == .keyword(.self), let base = access.base
        else { return nil }
        self.init(base)
    }

    private init?(_ expression: ExprSyntax) {
        if let generic = expression.as(GenericSpecializationExprSyntax.self) {
            guard let name = TypeName(generic.expression) else { return nil }
            self.init(name.path, generic.genericArgumentClause)
        } else if let reference = expression.as(DeclReferenceExprSyntax.self) {
            self.init([reference.baseName.text], nil)
        } else if let access = expression.as(MemberAccessExprSyntax.self), let base = access.base {
            guard let outer = TypeName(base) else { return nil }
            self.init(outer.path + [access.declName.baseName.text], nil)
        } else {
            return nil
        }
    }

    private init(_ path: [String], _ clause: GenericArgumentClauseSyntax?) {
        self.path = path
        let types = clause?.arguments.compactMap { $0.argument.as(TypeSyntax.self) } ?? []
        arguments = types.map { TypeName($0) }
    }
}
