@_spi(Host) import AtriumKit

/// The steps that most tests go through; the second and the last can be skipped.
enum Voyage: String, FlowStep {
    case ticket, seatChoice, luggage, farewell

    var isSkippable: Bool { self == .seatChoice || self == .farewell }
}

/// What a closed gate throws in these tests.
struct GateClosed: ExplainedError, Hashable {
    let code: ErrorCode = "gateClosed"
    let message = "The ticket is missing."
}

extension FlowModel where Step == Voyage {
    /// A flow that no other test sees.
    convenience init(
        in manager: FlowManager? = nil, gates: @escaping @MainActor (Voyage) -> FlowGate = { _ in .open }
    ) {
        self.init("Voyage", announcedTo: manager ?? .isolated(), gates: gates)
    }

    /// A flow that has come to `step`, or to its end where that is nil, skipping what can be skipped.
    static func at(_ step: Voyage?) async throws -> FlowModel {
        let flow = FlowModel()
        while !flow.isFinished, flow.currentStep != step {
            if flow.currentStep.isSkippable { try flow.skip() } else { try await flow.next() }
        }
        return flow
    }
}
