/// The state of loaded content: exactly one of four.
///
/// ```swift
/// private(set) var state = LoadState<[Item]>.loading
///
/// func load() async {
///     state = .loading
///     state = await LoadState(catching: { try await repository.items() })
/// }
/// ```
@frozen public enum LoadState<Value> {
    /// Loading is in progress, or has not begun.
    case loading
    /// Loading failed; earlier content is no longer shown.
    case failed(LoadFailure)
    /// Loading succeeded, and there is nothing to show.
    case empty
    /// Loading succeeded.
    case content(Value)

    /// The loaded value; nil in the other states.
    public var value: Value? {
        if case .content(let value) = self { value } else { nil }
    }

    /// The failure; nil in the other states.
    public var failure: LoadFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }

    /// True if the state is ``loading``.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// The state in one word, for programs.
    public var word: String {
        switch self {
        case .loading: "loading"
        case .failed: "failed"
        case .empty: "empty"
        case .content: "content"
        }
    }
}

extension LoadState: Sendable where Value: Sendable {}
extension LoadState: Equatable where Value: Equatable {}

extension LoadState {
    /// Runs `load` on the caller's actor; the state is its value, or a failure for any error.
    public nonisolated(nonsending) init(
        catching load: nonisolated(nonsending) () async throws -> Value
    ) async {
        do {
            self = .content(try await load())
        } catch {
            self = .failed(LoadFailure(error))
        }
    }
}

extension LoadState where Value: Collection {
    /// Creates the state of a loaded list: ``empty`` without elements.
    public init(_ value: Value) {
        self = value.isEmpty ? .empty : .content(value)
    }

    /// Runs `load` on the caller's actor; the state is its list, ``empty`` without elements, or a failure.
    public nonisolated(nonsending) init(
        catching load: nonisolated(nonsending) () async throws -> Value
    ) async {
        do {
            self.init(try await load())
        } catch {
            self = .failed(LoadFailure(error))
        }
    }
}

/// The reason for a failed load, as a screen shows it.
public struct LoadFailure: Sendable, Equatable {
    /// The code for programs.
    public let code: ErrorCode
    /// The sentence for users.
    public let message: String
    /// A next step, as a command if there is one.
    public let hint: String?
}

extension LoadFailure {
    /// Explains `error`; names its type if it does not explain itself.
    public init(_ error: any Error) {
        if let error = error as? any ExplainedError {
            self.init(code: error.code, message: error.message, hint: error.hint)
        } else if error is CancellationError {
            self.init(code: .cancelled, message: "Loading was cancelled.", hint: nil)
        } else {
            self.init(
                code: .unexpected, message: "An unexpected error of type '\(type(of: error))' occurred.",
                hint: nil)
        }
    }
}

/// Loaded content, shown in whichever of the four states it is in.
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

    /// Shows a state, whose word is the JSON member `key`; `retry` is the command that loads again, for a
    /// failure without a hint.
    public init<Value>(
        _ state: LoadState<Value>, key: String = "state", label: String = "Loading", empty: Notice,
        retry: String? = nil, @ContentBuilder _ build: (Value) -> Content
    ) {
        // Only programs need the word: users see the state itself.
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
