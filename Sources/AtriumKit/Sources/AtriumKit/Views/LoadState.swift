/// Where the loading of something is: exactly one of four states, each of which a screen shows differently.
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
    /// It is under way, or has not begun.
    case loading
    /// It failed; what was loaded before is not shown any more.
    case failed(LoadFailure)
    /// It went well, and there is nothing to show.
    case empty
    /// It went well.
    case content(Value)

    /// What was loaded; nil in the other states.
    public var value: Value? {
        if case .content(let value) = self { value } else { nil }
    }

    /// Why it failed; nil in the other states.
    public var failure: LoadFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }

    /// Whether it is under way.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// The state in one word, as programs get it.
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
    /// The state after `load`: its value, or its failure.
    ///
    /// It is never ``loading``, whatever is thrown. Runs on the caller's actor.
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
    /// The state for a list that is loaded: ``empty`` without elements.
    public init(_ value: Value) {
        self = value.isEmpty ? .empty : .content(value)
    }

    /// The state after `load`: its list, ``empty`` without elements, or its failure.
    ///
    /// It is never ``loading``, whatever is thrown. Runs on the caller's actor.
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
