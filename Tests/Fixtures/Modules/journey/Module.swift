import AtriumKit
import Observation

/// A flow whose second step is another flow.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.viewModel(JourneyViewModel.self) { _ in JourneyViewModel() }
        registry.screen(JourneyDestination.self) { JourneyView(viewModel: try $0.viewModel()) }
    }
}

struct JourneyDestination: Destination {
    static let pattern: LinkPattern = "journey"
}

enum JourneyStep: String, FlowStep {
    case plan, voyage, diary
}

enum VoyageStep: String, FlowStep {
    case route, seat, payment
    var isSkippable: Bool { self == .seat }
}

@MainActor @Observable
final class JourneyViewModel: ViewModel {
    let voyage = FlowModel<VoyageStep>("Voyage")

    @ObservationIgnored
    private(set) lazy var journey = FlowModel<JourneyStep>("Journey", of: self) { model, step in
        step == .voyage ? .flow(model.voyage) : .open
    }

    /// Whether the inner flow is at an unfinished step.
    var isTravelling: Bool { journey.currentStep == .voyage && !voyage.isFinished }

    struct SavedState: Codable {
        let journey: FlowState<JourneyStep>
        let voyage: FlowState<VoyageStep>
    }

    var savedState: SavedState { SavedState(journey: journey.savedState, voyage: voyage.savedState) }

    func restore(_ state: SavedState) {
        voyage.restore(state.voyage)
        journey.restore(state.journey)
    }
}

struct JourneyView: View {
    let viewModel: JourneyViewModel

    var body: Content {
        FlowHeader(viewModel.journey)
        if viewModel.journey.currentStep == .voyage { FlowHeader(viewModel.voyage, key: "inner") }
    }

    var actions: [Action] {
        if viewModel.isTravelling {
            viewModel.voyage.actions
            Action("arrive", "Goes on with the journey") {
                try await viewModel.journey.next()
                return .updated
            }
        } else {
            viewModel.journey.actions
        }
    }
}
