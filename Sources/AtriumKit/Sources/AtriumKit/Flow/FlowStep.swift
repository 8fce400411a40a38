/// A step of a flow: a case of an enumeration, in order.
///
/// ```swift
/// enum SignUpStep: String, FlowStep {
///     case account, profile, summary
///     var isSkippable: Bool { self == .profile }
/// }
/// ```
///
/// The raw values are kept between runs, so a case that is renamed is another step.
public protocol FlowStep: RawRepresentable, CaseIterable, Codable, Hashable, Sendable
where RawValue == String {
    /// The title that users see; by default the raw value split into words.
    var title: String { get }
    /// True if the step can be skipped; false by default.
    var isSkippable: Bool { get }
}

extension FlowStep {
    /// The words of the raw value, in lower case: `billing address` for `billingAddress`.
    public var title: String { Words.label(forKey: rawValue).lowercased() }
    /// False by default: the step must be completed.
    public var isSkippable: Bool { false }
}

/// The condition for completing a step; a gate that throws is closed, and its error says what is missing.
public struct FlowGate: Sendable {
    let kind: Kind

    enum Kind: Sendable {
        case open
        case requirement(@MainActor @Sendable (_ flow: String, _ step: String) async throws -> Void)
        case work(@MainActor @Sendable () async throws -> Void)
    }

    /// Always open: ``FlowModel/next()`` leaves the step.
    public static let open = FlowGate(kind: .open)

    /// Checks a condition on each move, and whenever the screen is shown again; changes nothing.
    public static func requirement(
        _ check: @escaping @MainActor @Sendable () async throws -> Void
    ) -> FlowGate {
        FlowGate(kind: .requirement { _, _ in try await check() })
    }

    /// Does the work of the step, such as sending a form; only ``FlowModel/next()`` runs it, each time.
    public static func work(_ perform: @escaping @MainActor @Sendable () async throws -> Void) -> FlowGate {
        FlowGate(kind: .work(perform))
    }

    /// Requires that `inner`, which the gate retains, is finished: the step is itself a flow.
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
