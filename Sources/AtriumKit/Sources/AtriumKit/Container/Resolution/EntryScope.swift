/// What belongs to one stack entry: its view models, its tasks, and the values of lifetime `entry`.
@MainActor
@_spi(Host) public final class EntryScope {
    let navigator: any Navigator
    /// The view models of the entry's screen, in the order in which they were built.
    public private(set) var viewModels: [RecordedViewModel] = []
    private var values: [RegistrationKey: (registration: Registration, box: AnyObject)] = [:]
    private var tracked: [TrackedObject] = []
    private var createdTasks: OwnedTasks?
    private var hasLeft = false

    init(navigator: any Navigator) {
        self.navigator = navigator
    }

    isolated deinit {
        // Also of a screen that was never entered, or of a preview.
        createdTasks?.cancel()
    }

    /// The tasks that end with the entry.
    public var tasks: OwnedTasks {
        if let createdTasks { return createdTasks }
        let tasks = OwnedTasks()
        if hasLeft { tasks.cancel() }
        createdTasks = tasks
        return tasks
    }

    /// How many tasks run.
    public var taskCount: Int { createdTasks?.count ?? 0 }

    /// Cancels the tasks of the entry, which was left.
    public func leave() {
        hasLeft = true
        createdTasks?.cancel()
    }

    func record<Model: ViewModel>(_ viewModel: Model, of module: ModuleScope?) {
        viewModels.append(RecordedViewModel(viewModel))
        tracked.append(TrackedObject(viewModel, type: Model.self, of: module))
    }

    func box(of slot: Slot) -> AnyObject? {
        guard let value = values[slot.key], value.registration === slot.registration else { return nil }
        return value.box
    }

    func keep<Value>(_ box: ValueBox<Value>, of slot: Slot) {
        guard let registration = slot.registration else { return }
        values[slot.key] = (registration, box)
        guard let object = box.object else { return }
        tracked.append(
            TrackedObject(object, type: slot.key.type, label: slot.key.label, of: registration.owner))
    }

    /// Everything that should be released with the entry.
    public var objects: [TrackedObject] { tracked }
}

/// A view model of a screen, as the host uses it.
@MainActor
@_spi(Host) public struct RecordedViewModel {
    private let viewModel: any ViewModel
    private let type: any ViewModel.Type

    init<Model: ViewModel>(_ viewModel: Model) {
        self.viewModel = viewModel
        type = Model.self
    }

    /// The destination of what it shows now, if that is another one.
    public var shownDestination: (any Destination)? { viewModel.shownDestination }

    /// Its reasons not to leave the screen.
    public var leaveObjections: [LeaveObjection] { viewModel.leaveObjections }

    /// Passes it a result whose waiting call is gone.
    public func receive(_ result: ReturnedResult) async throws {
        try await viewModel.receive(result)
    }

    /// The type's name, under which its state is kept.
    public var name: String { RegistrationKey.name(of: type) }

    /// The state as JSON; nil if it keeps none.
    public func saveState() throws -> String? {
        try Self.saveState(of: viewModel)
    }

    private static func saveState<Model: ViewModel>(of viewModel: Model) throws -> String? {
        guard Model.SavedState.self != NoSavedState.self else { return nil }
        return try StateCoding.encode(viewModel.savedState)
    }

    /// Restores state that ``saveState()`` returned.
    public func restoreState(_ state: String) throws {
        try Self.restoreState(state, in: viewModel)
    }

    private static func restoreState<Model: ViewModel>(_ state: String, in viewModel: Model) throws {
        guard Model.SavedState.self != NoSavedState.self else { return }
        viewModel.restore(try StateCoding.decode(Model.SavedState.self, from: state))
    }
}
