/// What belongs to one stack entry: its view models, and the values that live as long as it does.
@MainActor
@_spi(Host) public final class EntryScope {
    let navigator: any Navigator
    /// The view models of the entry's screen, in the order in which they were built.
    public private(set) var viewModels: [RecordedViewModel] = []
    private var values: [RegistrationKey: (registration: Registration, box: AnyObject)] = [:]
    private var tracked: [TrackedObject] = []

    init(navigator: any Navigator) {
        self.navigator = navigator
    }

    func record<Model: ViewModel>(_ viewModel: Model) {
        viewModels.append(RecordedViewModel(viewModel))
        tracked.append(TrackedObject(name: RegistrationKey.name(of: Model.self), object: viewModel))
    }

    /// The ``ValueBox`` that was built for `slot`.
    func box(of slot: Slot) -> AnyObject? {
        guard let value = values[slot.key], value.registration === slot.registration else { return nil }
        return value.box
    }

    func keep<Value>(_ box: ValueBox<Value>, of slot: Slot) {
        guard let registration = slot.registration else { return }
        values[slot.key] = (registration, box)
        guard type(of: box.value as Any) is AnyClass else { return }
        tracked.append(TrackedObject(name: slot.key.name, object: box.value as AnyObject))
    }

    /// Everything that ought to be gone once the entry is.
    public var objects: [TrackedObject] { tracked }

    /// An object that is to leave with its entry, without keeping it.
    public struct TrackedObject {
        /// The name of the type.
        public let name: String
        private weak var object: AnyObject?

        init(name: String, object: AnyObject) {
            self.name = name
            self.object = object
        }

        public var isAlive: Bool { object != nil }
    }
}

/// A view model of a screen, with what the host may do with it: keep and put back its state.
@MainActor
@_spi(Host) public struct RecordedViewModel {
    /// The type's name, under which its state is kept.
    public let name: String
    /// The state as JSON; nil where it has none to keep.
    public let saveState: @MainActor () throws -> String?
    /// Puts state back that ``saveState`` gave.
    public let restoreState: @MainActor (String) throws -> Void

    init<Model: ViewModel>(_ viewModel: Model) {
        name = RegistrationKey.name(of: Model.self)
        guard Model.SavedState.self != NoSavedState.self else {
            saveState = { nil }
            restoreState = { _ in }
            return
        }
        saveState = { try StateCoding.encode(viewModel.savedState) }
        restoreState = { viewModel.restore(try StateCoding.decode(Model.SavedState.self, from: $0)) }
    }
}
