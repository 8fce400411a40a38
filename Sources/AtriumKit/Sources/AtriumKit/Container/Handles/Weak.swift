/// The shared value of a registration while it is built, without building or keeping it.
@MainActor
public struct Weak<Value> {
    private let provider: Provider<Value>

    init(_ provider: Provider<Value>) {
        self.provider = provider
    }

    /// The shared value; nil before somebody has it built, and after its generation has left.
    public var value: Value? { provider.sharedBox?.value }
}
