import AtriumKit

/// A greeting.
///
/// The link is `__LINK__`.
struct __NAME__Destination: Destination {
    static let pattern: LinkPattern = "__LINK__"
}

/// Shows a greeting, with an action to greet another name.
struct __NAME__View: View {
    let viewModel: __NAME__ViewModel

    var body: Content {
        Title("__NAME__")
        Text(viewModel.greeting)
    }

    var actions: [Action] {
        Action("greet", "Greet somebody", Argument<String>("name", "Who is greeted")) { name in
            try await viewModel.greet(name)
        }
    }

    func load() async throws { try await viewModel.load() }
}
