import AtriumKit
import Observation

@MainActor
@Observable
final class PriceViewModel: ViewModel {
    // error: [upward-reference] a view model refers to 'PriceView', which is a view and above it;
    //        navigate with the context's 'navigator'
    private var view: PriceView?
    // error: [upward-reference] a view model refers to 'View', which is for views;
    //        hold what is shown, and let the view arrange it
    private var shown: [any View] = []
    private let navigator: any Navigator

    init(navigator: any Navigator) {
        self.navigator = navigator
    }

    func open() async throws {
        // A destination names a screen, and no view.
        try await navigator.open(PriceList().link().description)
    }

    // error: [upward-reference] a view model refers to 'Content', which is for views;
    //        hold what is shown, and let the view arrange it
    var title: Content {
        // error: [upward-reference] a view model refers to 'Content', which is for views;
        //        hold what is shown, and let the view arrange it
        // error: [upward-reference] a view model refers to 'Title', which is for views;
        //        hold what is shown, and let the view arrange it
        Content { Title("Prices") }
    }
}
