import SwiftSyntax

/// A layer of a module; each but the last two has a folder.
enum Layer: String, CaseIterable {
    case view = "View"
    case viewModel = "ViewModel"
    case aggregateModel = "AggregateModel"
    case useCase = "UseCase"
    case repository = "Repo"
    case service = "Services"
    case model = "Model"
    /// The files outside the layers' folders: the module's class and its guards.
    case composition = ""
    /// The folders of a module that provides infrastructure.
    case infrastructure = "/"

    static let folders = allCases.map(\.rawValue).filter { !$0.isEmpty && $0 != "/" }

    var words: String {
        switch self {
        case .view: "a view"
        case .viewModel: "a view model"
        case .aggregateModel: "an aggregate model"
        case .useCase: "a use case"
        case .repository: "a repository"
        case .service: "a service"
        case .model: "a model"
        case .composition: "the module's registration"
        case .infrastructure: "infrastructure"
        }
    }

    /// The layers by the functions of `ModuleRegistry` that register them.
    static let registered: [Substring: Layer] = [
        "service": .service, "repository": .repository, "useCase": .useCase,
        "aggregateModel": .aggregateModel, "viewModel": .viewModel,
    ]
}

struct Registration: Located {
    /// The type; the occurrence may name an alias of it.
    let symbol: Symbol
    let layer: Layer
    let file: Int
    let occurrence: Occurrence

    /// The registrations in some files, by the USR of the type: `registry.service((any PriceService).self, …`.
    static func all(in files: [CodeFile]) -> [String: Registration] {
        let aliases = aliases(in: files)
        var found: [String: Registration] = [:]
        for (index, file) in files.enumerated() {
            for call in file.occurrences where call.isReference {
                guard let layer = registeredLayer(call), let name = registeredName(call, in: file),
                    let type = Optional(aliases[name.symbol.usr] ?? name.symbol), type.isType
                else { continue }
                found[type.usr] = Registration(symbol: type, layer: layer, file: index, occurrence: name)
            }
        }
        return found
    }

    /// The types that type aliases stand for, by the USR of the alias.
    private static func aliases(in files: [CodeFile]) -> [String: Symbol] {
        var found: [String: Symbol] = [:]
        for file in files {
            for alias in file.occurrences
            where alias.symbol.kind == .typeAlias && alias.roles.contains(.definition) {
                let type = file.token(at: alias)?.enclosing(TypeAliasDeclSyntax.self)?.initializer.value
                found[alias.symbol.usr] = type.flatMap { file.symbols(in: $0).first(where: \.isType) }
            }
        }
        return found
    }

    private static func registeredLayer(_ occurrence: Occurrence) -> Layer? {
        guard occurrence.symbol.usr.hasPrefix("s:9AtriumKit14ModuleRegistryC") else { return nil }
        return Layer.registered[occurrence.symbol.baseName]
    }

    /// The name of the type in `Outer.Name.self` or `(any Name).self`, the first argument of a registration.
    ///
    /// A type from a variable is unknown.
    private static func registeredName(_ call: Occurrence, in file: CodeFile) -> Occurrence? {
        guard
            let arguments = file.token(at: call)?.enclosing(FunctionCallExprSyntax.self)?.arguments,
            let metatype = arguments.first?.expression.as(MemberAccessExprSyntax.self),
            metatype.declName.baseName.text == "self", var type = metatype.base
        else { return nil }
        if let generic = type.as(GenericSpecializationExprSyntax.self) { type = generic.expression }
        return Array(type.tokens).last { $0.text != ")" }.flatMap(file.occurrence(at:))
    }
}
