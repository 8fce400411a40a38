/// What decides whether a step of a flow is done.
///
/// A gate that throws is closed: the flow stays at the step, and the error says what is missing.
public struct FlowGate: Sendable {
    let kind: Kind

    enum Kind: Sendable {
        case open
        case requirement(@MainActor @Sendable (_ flow: String, _ step: String) async throws -> Void)
        case work(@MainActor @Sendable () async throws -> Void)
    }

    /// Nothing is asked for: ``FlowModel/next()`` leaves the step.
    public static let open = FlowGate(kind: .open)

    /// Looks whether something is the case, and changes nothing.
    ///
    /// Asked by ``FlowModel/next()``, and by ``FlowModel/advancePastOpenGates()`` as often as the screen is
    /// shown again. The check throws an ``ExplainedError`` that says what is missing.
    public static func requirement(
        _ check: @escaping @MainActor @Sendable () async throws -> Void
    ) -> FlowGate {
        FlowGate(kind: .requirement { _, _ in try await check() })
    }

    /// Does the work of the step, such as sending a form; only ``FlowModel/next()`` runs it.
    ///
    /// A person who goes back to the step and on again runs it again.
    public static func work(_ perform: @escaping @MainActor @Sendable () async throws -> Void) -> FlowGate {
        FlowGate(kind: .work(perform))
    }

    /// Another flow that has to be finished first: the step is a flow of its own.
    ///
    /// A requirement, so that ``FlowModel/advancePastOpenGates()`` goes on when the inner flow is finished.
    /// Holds the inner flow as long as the gate is held.
    @MainActor public static func flow(_ inner: FlowModel<some FlowStep>) -> FlowGate {
        FlowGate(
            kind: .requirement { flow, step in
                guard inner.isFinished else {
                    throw FlowError.innerFlowUnfinished(flow: flow, step: step, inner: inner.progress)
                }
            })
    }

    var isRequirement: Bool {
        if case .requirement = kind { true } else { false }
    }
}
