import SwiftSyntax

/// A method of a protocol, as a proxy forwards it.
struct ForwardedMethod {
    struct Parameter {
        /// As in the declaration of the proxy: `_ query: Query`.
        let declared: String
        let name: String
        let label: String?
        let type: String
        let isGeneric: Bool
        /// The expression that passes it on: `&count`.
        let passed: String
        /// True if it can be shown and given as text.
        let isValue: Bool
        let isPlain: Bool
    }

    /// The name with labels: `page(_:after:)`.
    let selector: String
    /// The declaration before and after the name, without a body.
    private let attributes: String
    private let modifiers: String
    private let rest: String
    let parameters: [Parameter]
    let isAsync: Bool
    let isThrowing: Bool
    /// The type of its errors; nil for any.
    let failure: String?
    let result: String?
    private let name: String
    private let isGeneric: Bool

    /// - Throws: ``ProxyObstacle`` if it can't be forwarded.
    init(_ function: FunctionDeclSyntax, in code: ModuleCode) throws {
        let name = function.name.text
        for modifier in function.modifiers where !["nonisolated", "isolated"].contains(modifier.name.text) {
            throw ProxyObstacle("the method '\(name)' is \(modifier.trimmedDescription)")
        }
        guard case .identifier = function.name.tokenKind else {
            throw ProxyObstacle("it requires the operator '\(name)'")
        }
        self.name = name
        let effects = function.signature.effectSpecifiers
        isAsync = effects?.asyncSpecifier != nil
        isThrowing = effects?.throwsClause != nil
        if effects?.throwsClause?.throwsSpecifier.tokenKind == .keyword(.rethrows) {
            throw ProxyObstacle("the method '\(name)' rethrows")
        }
        failure = effects?.throwsClause?.type?.trimmedDescription
        result = function.signature.returnClause?.type.trimmedDescription
        parameters = try function.signature.parameterClause.parameters.enumerated().map {
            try Self.parameter($1, number: $0 + 1, of: name, in: code)
        }
        isGeneric = function.genericParameterClause != nil
        selector = name + "(\(parameters.map { ($0.label ?? "_") + ":" }.joined()))"
        attributes = function.attributes.map { $0.trimmedDescription + " " }.joined()
        modifiers = function.modifiers.map { $0.trimmedDescription + " " }.joined()
        rest =
            (function.genericParameterClause?.trimmedDescription ?? "")
            + "(\(parameters.map(\.declared).joined(separator: ", ")))"
            + (effects.map { " \($0.trimmedDescription)" } ?? "")
            + (result.map { " -> \($0)" } ?? "")
            + (function.genericWhereClause.map { " \($0.trimmedDescription)" } ?? "")
    }

    private static func parameter(
        _ parameter: FunctionParameterSyntax, number: Int, of method: String, in code: ModuleCode
    ) throws -> Parameter {
        if parameter.ellipsis != nil {
            throw ProxyObstacle("the method '\(method)' takes any number of values")
        }
        var name = (parameter.secondName ?? parameter.firstName).text
        if name == "_" { name = "argument\(number)" }
        let typed = parameter.firstName.text
        let label = typed == "_" ? nil : Self.unquoted(typed)
        let attributed = parameter.type.as(AttributedTypeSyntax.self)
        let type = attributed?.baseType ?? parameter.type
        let words = attributed.map { $0.specifiers.map(\.trimmedDescription) } ?? []
        if attributed?.attributes.contains(where: { $0.trimmedDescription.hasPrefix("@autoclosure") }) == true
            || type.is(PackExpansionTypeSyntax.self)
        {
            throw ProxyObstacle("the method '\(method)' takes '\(parameter.trimmedDescription)'")
        }
        let isFunction = type.isFunction(in: code)
        return Parameter(
            declared: (typed == name ? name : "\(label ?? "_") \(name)")
                + ": \(parameter.type.trimmedDescription)",
            name: name, label: label, type: type.trimmedDescription,
            isGeneric: type.is(SomeOrAnyTypeSyntax.self), passed: words.contains("inout") ? "&\(name)" : name,
            isValue: !isFunction,
            isPlain: words.allSatisfy { $0 == "inout" })
    }

    /// A label without backquotes, which only some words need.
    private static func unquoted(_ label: String) -> String {
        ["`inout`", "`var`", "`let`"].contains(label) ? label : label.filter { $0 != "`" }
    }

    /// Why `call` can't call it; nil if it can.
    var obstacle: String? {
        if isGeneric || parameters.contains(where: \.isGeneric) {
            return "it has generic arguments"
        }
        if parameters.contains(where: { !$0.isValue }) { return "it takes a closure" }
        if parameters.contains(where: { $0.passed != $0.name || !$0.isPlain }) {
            return "it changes or consumes its arguments"
        }
        return nil
    }

    /// `try await `, as the method needs it.
    var marks: String { (isThrowing ? "try " : "") + (isAsync ? "await " : "") }

    var declaration: String { "\(attributes)\(modifiers)func \(name)\(rest)" }

    /// The declaration of a private method of the same type.
    func declaration(named other: String) -> String {
        "@inline(never) \(attributes)private \(modifiers)func \(other)\(rest)"
    }

    /// The call of the method, perhaps under another name, with these arguments.
    func call(on base: String, named other: String? = nil, _ arguments: [String]) -> String {
        let list = zip(parameters, arguments).map { ($0.label.map { "\($0): " } ?? "") + $1 }
        return "\(base).\(other ?? name)(\(list.joined(separator: ", ")))"
    }

    /// True if taps and faults can reach it: nothing is consumed or sent.
    var isTapped: Bool { parameters.allSatisfy(\.isPlain) }
}

extension TypeSyntax {
    /// True for a function, also by an alias of the module; not for an optional one, which escapes.
    fileprivate func isFunction(in code: ModuleCode) -> Bool {
        if self.is(FunctionTypeSyntax.self) { return true }
        if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1,
            let only = tuple.elements.first
        {
            return only.type.isFunction(in: code)
        }
        guard let name = self.as(IdentifierTypeSyntax.self)?.name.text else { return false }
        return code.files.contains { file in
            file.contains(["typealias \(name)"]) && file.functionAliases.contains(name)
        }
    }
}

extension SourceFile {
    /// The names of aliases of functions, in types and outside.
    fileprivate var functionAliases: Set<String> {
        let aliases = tree.all(TypeAliasDeclSyntax.self).filter { alias in
            let value = alias.initializer.value
            return (value.as(AttributedTypeSyntax.self)?.baseType ?? value).is(FunctionTypeSyntax.self)
        }
        return Set(aliases.map(\.name.text))
    }
}
