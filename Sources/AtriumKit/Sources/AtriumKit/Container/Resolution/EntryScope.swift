/// The objects of one stack entry: its view models, its tasks, and the values of lifetime `entry`.
@MainActor
@_spi(Host) public final class EntryScope {
    let navigator: any Navigator
    /// The size of the front end that shows the screen; nil for the container's.
    let viewport: ViewportMonitor?
    /// The view models of the entry's screen, in the order in which they were built.
    public private(set) var viewModels: [RecordedViewModel] = []
    private var values: [RegistrationKey: (registration: Registration, box: AnyObject)] = [:]
    /// The objects that should be released with the entry.
    public private(set) var objects: [TrackedObject] = []
    private var createdTasks: OwnedTasks?
    private var hasLeft = false

    init(navigator: any Navigator, viewport: ViewportMonitor? = nil) {
        self.navigator = navigator
        self.viewport = viewport
    }

    isolated deinit {
        // Also for a screen that was never entered, and for a preview.
        createdTasks?.cancel()
    }

    /// The tasks of the entry; cancelled if the entry was left.
    public var tasks: OwnedTasks {
        if let createdTasks { return createdTasks }
        let tasks = OwnedTasks()
        if hasLeft { tasks.cancel() }
        createdTasks = tasks
        return tasks
    }

    /// The number of the entry's running tasks.
    public var taskCount: Int { createdTasks?.count ?? 0 }

    /// Marks the entry as left, and cancels its tasks.
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

    /// Keeps a value; `original` is the one that is tracked, of which it may be a proxy.
    func keep<Value>(_ box: ValueBox<Value>, of slot: Slot, tracking original: ValueBox<Value>) {
        guard let registration = slot.registration else { return }
        values[slot.key] = (registration, box)
        guard let object = original.object else { return }
        objects.append(
            TrackedObject(object, type: slot.key.type, label: slot.key.label, of: registration.owner))
    }
}

/// A type-erased view model of a stack entry.
@MainActor
@_spi(Host) public struct RecordedViewModel {
    public let viewModel: any ViewModel
    private let type: any ViewModel.Type

    init<Model: ViewModel>(_ viewModel: Model) {
        self.viewModel = viewModel
        type = Model.self
    }

    /// The destination whose link stands for what is shown; nil for the one that was entered.
    public var shownDestination: (any Destination)? { viewModel.shownDestination }

    /// The reasons not to leave the screen now; empty if there are none.
    public var leaveObjections: [LeaveObjection] { viewModel.leaveObjections }

    /// Passes on the result of a presented screen for which no call waits any more.
    public func receive(_ result: ReturnedResult) async throws {
        try await viewModel.receive(result)
    }

    /// The type's name, under which its state is kept.
    public var name: String { RegistrationKey.name(of: type) }

    /// The state as JSON, after its version unless that is 1: `{"step":2}`, `2 {"step":2}`; nil if it keeps
    /// none.
    public func saveState() throws -> String? { try viewModel.saveText() }

    /// Restores a state, migrated to the current version.
    public func restoreState(_ state: String) throws { try viewModel.restore(text: state) }

    /// True if this build can read a state, perhaps by migrating it; restores nothing.
    public func fits(_ state: String) -> Bool { viewModel.fits(state) }
}

extension ViewModel {
    fileprivate func saveText() throws -> String? {
        guard SavedState.self != NoSavedState.self else { return nil }
        let json = try StateCoding.encode(savedState)
        return Self.savedStateVersion == 1 ? json : "\(Self.savedStateVersion) \(json)"
    }

    fileprivate func fits(_ text: String) -> Bool {
        SavedState.self != NoSavedState.self && (try? Self.state(text)) != nil
    }

    fileprivate func restore(text: String) throws {
        guard SavedState.self != NoSavedState.self else { return }
        restore(try Self.state(text))
    }

    private static func state(_ text: String) throws -> SavedState {
        let (version, json) = versioned(text)
        guard version < savedStateVersion else {
            guard version == savedStateVersion else {
                throw SavedStateError.newer(name, version: version, present: savedStateVersion)
            }
            return try StateCoding.decode(SavedState.self, from: json)
        }
        let former = try StateCoding.decode(JSONObject.self, from: json)
        let migrated: JSONObject?
        do { migrated = try migrateSavedState(former, from: version) } catch {
            throw SavedStateError.notMigrated(
                name, version: version, present: savedStateVersion, cause: error)
        }
        guard let migrated else {
            throw SavedStateError.notMigrated(name, version: version, present: savedStateVersion)
        }
        return try StateCoding.decode(SavedState.self, from: JSONValue.object(migrated).serialized)
    }

    private static var name: String { RegistrationKey.name(of: Self.self) }

    /// Splits off the version: no JSON has anything after a number.
    private static func versioned(_ text: String) -> (version: Int, json: String) {
        guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")), let version = Int(text[..<space])
        else {
            return (1, text)
        }
        return (version, String(text[text.utf8.index(after: space)...]))
    }
}

/// The errors for a saved state of another version that can't be read.
private enum SavedStateError {
    static func newer(_ name: String, version: Int, present: Int) -> ServiceError {
        ServiceError(
            "newerState", "\(name) saved it in version \(version), and this build has version \(present).")
    }

    static func notMigrated(
        _ name: String, version: Int, present: Int, cause: (any Error)? = nil
    ) -> ServiceError {
        ServiceError(
            "unreadableState",
            "\(name) saved it in version \(version), which version \(present) can't migrate.", cause: cause)
    }
}
