public import Observation

/// The list of running flows, shared by the host and all modules.
///
/// Holds the models weakly. A flow leaves the list when it is finished or its model is released.
///
/// ```swift
/// if let signUp = FlowManager.shared.flow(named: "Sign up") { FlowHeader(signUp) }
/// ```
@MainActor
@Observable
public final class FlowManager {
    /// The list of this process.
    public static let shared = FlowManager()

    private struct Entry {
        let id: ObjectIdentifier
        let progress: () -> FlowProgress?
    }

    // architecture: allow singleton-state, because a model leaves the list when it is finished or released
    private var entries: [Entry] = []

    private init() {}

    /// Returns a list separate from ``shared``, for tests.
    @_spi(Host) public static func isolated() -> FlowManager { FlowManager() }

    /// The running flows, oldest first; observable, including their steps.
    public var flows: [FlowProgress] {
        entries.compactMap { $0.progress() }.filter { !$0.isFinished }
    }

    /// Returns the running flow with that name; the newest if there are several.
    public func flow(named name: String) -> FlowProgress? { flows.last { $0.flow == name } }

    /// The number of models, including finished ones.
    var modelCount: Int { entries.count }

    func add(_ model: FlowModel<some FlowStep>) {
        entries.append(Entry(id: ObjectIdentifier(model)) { [weak model] in model?.progress })
    }

    func remove(_ id: ObjectIdentifier) { entries.removeAll { $0.id == id } }
}
