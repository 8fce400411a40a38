/// Keeps the state that the container had at some moment, for work that began in it and goes on.
///
/// Providers of a module's retired generation ask in that state as long as somebody has it.
@MainActor
@_spi(Host) public final class HeldState {
    private let container: Container

    init(_ container: Container) {
        self.container = container
    }
}

extension Container {
    /// The present state, which goes on being seen as it is by what began in it.
    public func hold() -> HeldState { HeldState(pinned) }
}
