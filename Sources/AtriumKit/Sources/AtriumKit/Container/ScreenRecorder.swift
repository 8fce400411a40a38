/// Collects the view models that are built for one screen.
@MainActor
final class ScreenRecorder {
    private(set) var viewModels: [RecordedViewModel] = []
    let navigator: any Navigator

    init(navigator: any Navigator) {
        self.navigator = navigator
    }

    func record<Model: ViewModel>(_ viewModel: Model) {
        viewModels.append(RecordedViewModel(viewModel))
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
