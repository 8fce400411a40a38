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

    /// The registrations in some files, by the USR of the type.
    ///
    /// The type is the first name in the call: `registry.service((any PriceService).self, …`.
    static func all(in files: [CodeFile]) -> [String: Registration] {
        let aliases = aliases(in: files)
        var found: [String: Registration] = [:]
        for (index, file) in files.enumerated() {
            var call: (layer: Layer, occurrence: Occurrence)?
            for occurrence in file.occurrences where occurrence.isReference {
                if let layer = registeredLayer(occurrence) {
                    call = (layer, occurrence)
                } else if let made = call,
                    let type = aliases[occurrence.symbol.usr]
                        ?? (occurrence.symbol.isType ? occurrence.symbol : nil)
                {
                    guard isFirst(occurrence, behind: made.occurrence, in: file) else {
                        call = nil
                        continue
                    }
                    // 'Prices.Ledger.self' names the outer type first.
                    guard isWhole(occurrence, in: file) else { continue }
                    call = nil
                    found[type.usr] = Registration(
                        symbol: type, layer: made.layer, file: index, occurrence: occurrence)
                }
            }
        }
        return found
    }

    /// The types that type aliases stand for, by the USR of the alias: the first name after it.
    private static func aliases(in files: [CodeFile]) -> [String: Symbol] {
        var found: [String: Symbol] = [:]
        for file in files {
            var alias: String?
            for occurrence in file.occurrences {
                if occurrence.symbol.kind == .typeAlias, occurrence.roles.contains(.definition) {
                    alias = occurrence.symbol.usr
                } else if let name = alias, occurrence.isReference, occurrence.symbol.isType {
                    found[name] = occurrence.symbol
                    alias = nil
                }
            }
        }
        return found
    }

    private static func registeredLayer(_ occurrence: Occurrence) -> Layer? {
        guard occurrence.symbol.usr.hasPrefix("s:9AtriumKit14ModuleRegistryC") else { return nil }
        return Layer.registered[occurrence.symbol.baseName]
    }

    /// True if this is the last part of a type's name, followed by `.self`.
    private static func isWhole(_ type: Occurrence, in file: CodeFile) -> Bool {
        file.text(at: type).prefixMatch(of: /\w+(?:<.*?>)?\s*\)?\s*\.self\b/) != nil
    }

    /// True if the type is the first name in the call; a type from a variable is unknown.
    private static func isFirst(_ type: Occurrence, behind call: Occurrence, in file: CodeFile) -> Bool {
        let between = file.text(from: call, to: type).drop { $0.isLetter }.replacing(/\/\/[^\n]*/, with: "")
        return between.wholeMatch(of: /\s*\(\s*\(?\s*(?:any\s+)?(?:\w+\.)*/) != nil
    }
}
