@_spi(Host) import AtriumKit

/// A navigation stack that accepts and records every request.
@MainActor
final class StubStack: NavigationStack {
    var path = NavigationPath()
    /// The requested paths, in order.
    private(set) var requests: [NavigationPath] = []

    func go(to path: NavigationPath) {
        requests.append(path)
        self.path = path
    }
}
