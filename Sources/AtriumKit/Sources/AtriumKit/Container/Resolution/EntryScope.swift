/// What belongs to one stack entry: its view models, its tasks, and the values of lifetime `entry`.
@MainActor
@_spi(Host) public final class EntryScope {
    let navigator: any Navigator
    /// The view models of the entry's screen, in the order in which they were built.
    public private(set) var viewModels: [RecordedViewModel] = []
    private var values: [RegistrationKey: (registration: Registration, box: AnyObject)] = [:]
    /// Everything that should be released with the entry.
    public private(set) var objects: [TrackedObject] = []
    private var createdTasks: OwnedTasks?
    private var hasLeft = false

    init(navigator: any Navigator) {
        self.navigator = navigator
    }

    isolated deinit {
        // Also of a screen that was never entered, or of a preview.
        createdTasks?.cancel()
    }

    public var tasks: OwnedTasks {
        if let createdTasks { return createdTasks }
        let tasks = OwnedTasks()
        if hasLeft { tasks.cancel() }
        createdTasks = tasks
        return tasks
    }

    public var taskCount: Int { createdTasks?.count ?? 0 }

    /// Cancels the tasks of the entry, which was left.
    public func leave() {
        hasLeft = true
        createdTasks?.cancel()
    }

    func record<Model: ViewModel>(_ viewModel: Model, of module: ModuleScope?) {
        viewModels.append(RecordedViewModel(viewModel))
        objects.append(TrackedObject(viewModel, type: Model.self, of: module))
    }

    func box(of slot: Slot) -> AnyObject? {
        guard let value = values[slot.key], value.registration === slot.registration else { return nil }
        return value.box
    }

    func keep<Value>(_ box: ValueBox<Value>, of slot: Slot) {
        guard let registration = slot.registration else { return }
        values[slot.key] = (registration, box)
        guard let object = box.object else { return }
        objects.append(
            TrackedObject(object, type: slot.key.type, label: slot.key.label, of: registration.owner))
    }
}

@MainActor
@_spi(Host) public struct RecordedViewModel {
    private let viewModel: any ViewModel
    private let type: any ViewModel.Type

    init<Model: ViewModel>(_ viewModel: Model) {
        self.viewModel = viewModel
        type = Model.self
    }

    public var shownDestination: (any Destination)? { viewModel.shownDestination }

    public var leaveObjections: [LeaveObjection] { viewModel.leaveObjections }

    public func receive(_ result: ReturnedResult) async throws {
        try await viewModel.receive(result)
    }

    /// The type's name, under which its state is kept.
    public var name: String { RegistrationKey.name(of: type) }

    /// The state as JSON; nil if it keeps none.
    public func saveState() throws -> String? { try viewModel.saveText() }

    public func restoreState(_ state: String) throws { try viewModel.restore(text: state) }

    /// Whether a state has the form that this build reads; restores nothing.
    public func fits(_ state: String) -> Bool { viewModel.fits(state) }
}

extension ViewModel {
    fileprivate func saveText() throws -> String? {
        SavedState.self == NoSavedState.self ? nil : try StateCoding.encode(savedState)
    }

    fileprivate func fits(_ text: String) -> Bool {
        SavedState.self != NoSavedState.self && (try? StateCoding.decode(SavedState.self, from: text)) != nil
    }

    fileprivate func restore(text: String) throws {
        guard SavedState.self != NoSavedState.self else { return }
        restore(try StateCoding.decode(SavedState.self, from: text))
    }
}
