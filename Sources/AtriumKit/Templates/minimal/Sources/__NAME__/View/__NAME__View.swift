import AtriumKit

/// A greeting.
struct __NAME__Destination: Destination { static let pattern: LinkPattern = "__LINK__" }

struct __NAME__View: View {
    let viewModel: __NAME__ViewModel
    var body: Content { Text(viewModel.greeting) }
    var actions: [Action] {
        Action("greet", "Greet a guest", Argument<String>("name", "Their name"), perform: viewModel.greet)
    }
}
