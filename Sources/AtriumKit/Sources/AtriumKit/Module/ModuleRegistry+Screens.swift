extension ModuleRegistry {
    /// Registers the screen of a destination with its view model, which is built from the destination.
    ///
    /// ```swift
    /// registry.screen(EntityDetail.self) { context, destination in
    ///     EntityDetailViewModel(id: destination.id, model: try context.aggregateModel())
    /// } view: {
    ///     EntityDetailView(viewModel: $0)
    /// }
    /// ```
    ///
    /// The same as `viewModel` with the destination as its argument, and ``screen(_:_:)``: each stack
    /// entry has its own view model. A view model of several screens, and a screen with several view models,
    /// are registered with these.
    ///
    /// - Parameters:
    ///   - destination: The destination; its documentation is the summary of the screen.
    ///   - viewModel: Builds the view model of a stack entry.
    ///   - view: Makes the view from the view model.
    public func screen<Shown: Destination, Model: ViewModel, Body: View>(
        _ destination: Shown.Type,
        viewModel: @escaping @MainActor (borrowing ViewModelContext, Shown) throws -> Model,
        view: @escaping @MainActor (Model) -> Body
    ) {
        // No overload for factories without the destination: the compiler would explain a mistake in one by
        // the number of parameters of the other.
        self.viewModel(Model.self, viewModel)
        screen(destination) { view(try $0.viewModel($0.destination)) }
    }
}
