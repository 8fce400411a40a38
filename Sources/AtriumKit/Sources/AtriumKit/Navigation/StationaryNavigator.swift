/// Goes nowhere: for what is built in order to be looked at, and is not shown.
@_spi(Host) public final class StationaryNavigator: Navigator {
    public init() {}

    public func push(_ destination: any Destination) async throws {}
    public func open(_ link: String) async throws {}
    public func back() async throws {}
    public func forward() async throws {}
    public func pop(to link: String) async throws {}
    public func root() async throws {}
    public func replace(with destination: any Destination) async throws {}
    public func replaceAll(with links: [String]) async throws {}
    public func bringToFront(_ destination: any Destination) async throws {}
    public func present(_ item: PresentedItem) async throws -> PresentedResult { .cancelled }
    public func dismiss(_ result: PresentedResult) async throws {}
}
