public import Observation

/// Which flows are under way: one list that the host and all modules share.
///
/// Holds state only, and none of its own: it knows the models weakly and asks them. A flow leaves the list
/// when it is finished or its model is released.
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
        weak var model: (any ReportingFlow)?
    }

    // architecture: allow singleton-state, because a model leaves the list when it is finished or released
    private var entries: [Entry] = []

    private init() {}

    /// A list of its own, for a test that must not see the flows of others.
    @_spi(Host) public static func isolated() -> FlowManager {
        FlowManager()
    }

    /// The flows under way, the one begun first comes first.
    ///
    /// Observed like a property of the view model: also a step taken in one of them is a change.
    public var flows: [FlowProgress] {
        entries.compactMap { $0.model?.progress }.filter { !$0.isFinished }
    }

    /// The flow under way of that name, the one begun last where there are several.
    public func flow(named name: String) -> FlowProgress? {
        flows.last { $0.flow == name }
    }

    /// How many models are known, finished ones included.
    @_spi(Host) public var modelCount: Int { entries.count }

    func add(_ model: some ReportingFlow) {
        entries.append(Entry(id: ObjectIdentifier(model), model: model))
    }

    func remove(_ id: ObjectIdentifier) {
        entries.removeAll { $0.id == id }
    }
}

/// A flow as the list knows it, whatever its steps.
@MainActor
protocol ReportingFlow: AnyObject {
    var progress: FlowProgress { get }
}
