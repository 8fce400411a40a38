// A view model that writes the session.
// error: value of type 'SessionState' has no member 'signOut'
import AtriumKit

@MainActor final class PriceViewModel: ViewModel {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.viewModel(PriceViewModel.self) { context in
        context.session.signOut()
        return PriceViewModel()
    }
}
