@_spi(Host) import AtriumKit

/// The steps of the flow in most tests; the second and the last can be skipped.
enum Voyage: String, FlowStep {
    case ticket, seatChoice, luggage, farewell

    var isSkippable: Bool { self == .seatChoice || self == .farewell }
}

/// The error that a closed gate throws in these tests.
struct GateClosed: ExplainedError, Hashable {
    let code: ErrorCode = "gateClosed"
    let message = "The ticket is missing."
}

extension FlowModel where Step == Voyage {
    /// Creates a flow that is isolated from other tests.
    convenience init(
        in manager: FlowManager? = nil, gates: @escaping @MainActor (Voyage) -> FlowGate = { _ in .open }
    ) {
        self.init("Voyage", announcedTo: manager ?? .isolated(), gates: gates)
    }

    /// Returns a flow at `step`, or a finished one if that is nil, with all skippable steps skipped.
    static func at(_ step: Voyage?) async throws -> FlowModel {
        let flow = FlowModel()
        while !flow.isFinished, flow.currentStep != step {
            if flow.currentStep.isSkippable { try flow.skip() } else { try await flow.next() }
        }
        return flow
    }
}
