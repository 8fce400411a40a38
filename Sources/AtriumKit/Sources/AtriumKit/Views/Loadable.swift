/// What is shown of something that is loaded: exactly one of its four states.
///
/// ```swift
/// Loadable(
///     viewModel.state, empty: Notice(.information, "Add your first item", hint: "items create --name NAME"),
///     retry: "items"
/// ) { items in
///     Table(items) { Column("name") { $0.name } }
/// }
/// ```
public struct Loadable: ContentElement {
    public let content: Content

    /// Shows a state.
    ///
    /// - Parameters:
    ///   - state: What is shown; programs get its word, `loading`, `failed`, `empty` or `content`.
    ///   - key: The name of that word for programs.
    ///   - label: What is going on while it is loaded.
    ///   - empty: What is shown where there is nothing, with a first step as its hint.
    ///   - retry: The command that loads it again, for a failure that does not say what to do.
    ///   - build: Makes the content of what was loaded; runs in that state only.
    public init<Value>(
        _ state: LoadState<Value>, key: String = "state", label: String = "Loading", empty: Notice,
        retry: String? = nil, @ContentBuilder _ build: (Value) -> Content
    ) {
        // Only programs need the word: people see what it stands for.
        var content = Content([.verbatim(Verbatim(key, [], value: .string(state.word)))])
        switch state {
        case .loading: content.append(Progress(label: label).content)
        case .failed(let failure):
            content.append(Notice(.problem, failure.message, hint: failure.hint ?? retry).content)
        case .empty: content.append(empty.content)
        case .content(let value): content.append(build(value))
        }
        self.content = content
    }
}
