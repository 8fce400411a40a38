/// What a part of a module is for; each but the last two has a folder.
enum Layer: String, CaseIterable {
    case view = "View"
    case viewModel = "ViewModel"
    case aggregateModel = "AggregateModel"
    case useCase = "UseCase"
    case repository = "Repo"
    case service = "Services"
    case model = "Model"
    /// The files beside the folders: the module's class, which registers everything, and its guards.
    case composition = ""
    /// The folders of a module that provides infrastructure, whatever their names.
    case infrastructure = "/"

    /// The folders that a module may have.
    static let folders = allCases.map(\.rawValue).filter { !$0.isEmpty && $0 != "/" }

    /// The layer by the name that it has in a sentence.
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

    /// The layer of what a module registers with `ModuleRegistry.NAME(…)`.
    init?(registeredWith name: Substring) {
        switch name {
        case "service": self = .service
        case "repository": self = .repository
        case "useCase": self = .useCase
        case "aggregateModel": self = .aggregateModel
        case "viewModel": self = .viewModel
        default: return nil
        }
    }
}
