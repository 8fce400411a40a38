/// What the factory of a screen can reach: view models, and the destination that is shown.
///
/// Cannot be stored or captured.
@MainActor
public struct ScreenContext<Place: Destination>: ~Copyable {
    private let container: Container
    /// The place that is shown, with its arguments.
    public let destination: Place

    init(_ container: Container, _ destination: Place) {
        self.container = container
        self.destination = destination
    }

    /// A new view model of type `Model`, made for this stack entry from the arguments.
    public func viewModel<Model: ViewModel, each Argument>(
        _ argument: repeat each Argument
    ) throws -> Model {
        let model = try container.resolve(Model.self, .viewModel, repeat each argument)
        container.record(model)
        return model
    }
}
