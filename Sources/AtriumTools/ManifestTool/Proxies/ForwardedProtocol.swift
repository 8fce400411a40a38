import SwiftSyntax

/// A protocol of the module, with the requirements that a proxy forwards.
struct ForwardedProtocol {
    let name: String
    /// The methods, those of inherited protocols too.
    private(set) var methods: [ForwardedMethod] = []
    private(set) var properties: [String] = []
    /// True if the protocol is `Sendable` or on a global actor, so that `call` may use it on the main actor.
    private(set) var isSendable = false
    /// The imports of the files that declare it, without access levels.
    private(set) var imports: [String] = []

    /// - Throws: ``ProxyObstacle`` if the protocol can't be forwarded.
    init(_ service: ServiceRegistration, in code: ModuleCode) throws {
        guard service.isExistential else { throw ProxyObstacle(nil) }
        guard service.isNamed else { throw ProxyObstacle("it is not one protocol at the top of a file") }
        name = service.name
        guard let (declaration, file) = Self.find(name, in: code) else {
            throw ProxyObstacle("the module's sources do not declare \(name), at the top of a file")
        }
        var seen: Set<String> = []
        try add(declaration, in: file, code, &seen)
        let names = methods.map(\.selector)
        if Set(names).count < names.count {
            throw ProxyObstacle("it has two methods that differ in types only")
        }
    }

    private static func find(
        _ name: String, in code: ModuleCode
    ) -> (declaration: ProtocolDeclSyntax, file: SourceFile)? {
        for file in code.files where file.contains(["protocol \(name)"]) {
            for item in file.tree.statements {
                if let found = item.item.as(ProtocolDeclSyntax.self), found.name.text == name {
                    return (found, file)
                }
            }
        }
        return nil
    }

    private mutating func add(
        _ declaration: ProtocolDeclSyntax, in file: SourceFile, _ code: ModuleCode, _ seen: inout Set<String>
    ) throws {
        guard seen.insert(declaration.name.text).inserted else { return }
        if declaration.modifiers.contains(where: { ["private", "fileprivate"].contains($0.name.text) }) {
            throw ProxyObstacle("\(declaration.name.text) is private")
        }
        if declaration.primaryAssociatedTypeClause != nil || declaration.genericWhereClause != nil {
            throw ProxyObstacle("it has associated types")
        }
        if declaration.mentionsSelf { throw ProxyObstacle("it has requirements with 'Self'") }
        for attribute in declaration.attributes.compactMap({ $0.as(AttributeSyntax.self) }) {
            guard attribute.attributeName.trimmedDescription.hasSuffix("Actor") else {
                throw ProxyObstacle("it has the attribute '\(attribute.trimmedDescription)'")
            }
            isSendable = true
        }
        for line in file.importLines where !imports.contains(line) { imports.append(line) }
        for inherited in declaration.inheritanceClause?.inheritedTypes ?? [] {
            let type = inherited.type.trimmedDescription
            switch type {
            case "Sendable": isSendable = true
            case "AnyObject": break
            default:
                guard let (parent, file) = Self.find(type, in: code) else {
                    throw ProxyObstacle("it inherits '\(type)', which the module's sources do not declare")
                }
                try add(parent, in: file, code, &seen)
            }
        }
        for member in declaration.memberBlock.members { try add(member.decl, code) }
    }

    private mutating func add(_ member: DeclSyntax, _ code: ModuleCode) throws {
        if let function = member.as(FunctionDeclSyntax.self) {
            let method = try ForwardedMethod(function, in: code)
            if !methods.contains(where: { $0.declaration == method.declaration }) { methods.append(method) }
        } else if let variable = member.as(VariableDeclSyntax.self) {
            let property = try Self.property(variable)
            if !properties.contains(property) { properties.append(property) }
        } else if !member.is(TypeAliasDeclSyntax.self) {
            throw ProxyObstacle(Self.obstacle(of: member))
        }
    }

    private static func obstacle(of member: DeclSyntax) -> String {
        if member.is(AssociatedTypeDeclSyntax.self) { return "it has associated types" }
        if member.is(InitializerDeclSyntax.self) { return "it requires an initializer" }
        if member.is(SubscriptDeclSyntax.self) { return "it requires a subscript" }
        return "it has requirements under '#if' or of macros"
    }

    private static func property(_ variable: VariableDeclSyntax) throws -> String {
        guard let binding = variable.bindings.first, variable.bindings.count == 1,
            let type = binding.typeAnnotation?.type, let accessors = binding.accessorBlock?.accessors,
            case .accessors(let list) = accessors, let getter = list.first, list.count == 1
        else { throw ProxyObstacle("it has a property that can be set") }
        let name = binding.pattern.trimmedDescription
        if variable.modifiers.contains(where: { $0.name.text == "static" }) {
            throw ProxyObstacle("the property '\(name)' is static")
        }
        if getter.modifier != nil { throw ProxyObstacle("the getter of '\(name)' is mutating") }
        let head =
            (variable.attributes.map(\.trimmedDescription) + variable.modifiers.map(\.trimmedDescription))
            .map { $0 + " " }.joined()
        let effects = getter.effectSpecifiers?.trimmedDescription ?? ""
        let marks =
            (getter.effectSpecifiers?.throwsClause == nil ? "" : "try ")
            + (getter.effectSpecifiers?.asyncSpecifier == nil ? "" : "await ")
        return "\(head)var \(name): \(type.trimmedDescription) "
            + "{ get \(effects.isEmpty ? "" : effects + " "){ \(marks)atriumService.\(name) } }"
    }
}

extension ProtocolDeclSyntax {
    /// True if a requirement names the conforming type.
    fileprivate var mentionsSelf: Bool {
        memberBlock.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.Self) }
    }
}

extension SourceFile {
    /// The imports of the file, without access levels and without AtriumKit's.
    var importLines: [String] {
        tree.statements.compactMap { item in
            guard let line = item.item.as(ImportDeclSyntax.self), line.path.trimmedDescription != "AtriumKit"
            else {
                return nil
            }
            let attributes = line.attributes.map { $0.trimmedDescription + " " }.joined()
            let kind = line.importKindSpecifier.map { $0.text + " " } ?? ""
            return "\(attributes)import \(kind)\(line.path.trimmedDescription)"
        }
    }
}
