/// What the factory of a screen can reach: view models, and the destination that is shown.
///
/// Cannot be stored or captured.
@MainActor
public struct ScreenContext<Place: Destination>: ~Copyable {
    let core: ContextCore
    /// The place that is shown, with its arguments.
    public let destination: Place

    init(_ core: ContextCore, _ destination: Place) {
        self.core = core
        self.destination = destination
    }

    /// A new view model of type `Model`, made for this stack entry.
    public func viewModel<Model: ViewModel>() throws -> Model {
        let model = try core.resolve(Model.self, ViewModelContext.self)
        core.entry?.record(model, of: core.asker.scope)
        return model
    }

    /// A new view model of type `Model`, made for this stack entry from the arguments.
    public func viewModel<Model: ViewModel, First, each Argument>(
        _ first: First, _ argument: repeat each Argument
    ) throws -> Model {
        let model = try core.resolve(
            Model.self, named: nil, ViewModelContext.self, first, repeat each argument)
        core.entry?.record(model, of: core.asker.scope)
        return model
    }
}
