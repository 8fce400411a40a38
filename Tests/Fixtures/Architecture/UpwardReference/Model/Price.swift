import AtriumKit

struct Price: Sendable {
    let cents: Int

    // error: [upward-reference] a model refers to 'Title', which is for views;
    //        hold what is shown, and let the view arrange it
    var title: Title { Title("Price") }

    // error: [upward-reference] a model refers to 'PriceViewModel', which is a view model and above it;
    //        let what is above call, and return values
    @MainActor func show(in viewModel: PriceViewModel) {}
}
