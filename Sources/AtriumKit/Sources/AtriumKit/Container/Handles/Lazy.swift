/// A value that is built when it is first asked for, and kept from then on.
@MainActor
public final class Lazy<Value> {
    private let provider: Provider<Value>
    private var kept: Value?

    init(_ provider: Provider<Value>) {
        self.provider = provider
    }

    /// The value; a failure to build it is not kept.
    ///
    /// - Throws: ``ResolutionError`` as a provider does.
    public func callAsFunction() throws -> Value {
        if let kept { return kept }
        let value = try provider.kept() as Value
        keep(value)
        return value
    }

    /// The value, awaiting its factory where that has to be.
    public func callAsFunction() async throws -> Value {
        if let kept { return kept }
        let value: Value = try await provider.kept()
        // Somebody may have been faster.
        if let kept { return kept }
        keep(value)
        return value
    }

    private func keep(_ value: Value) {
        kept = value
        provider.hold()
    }
}
