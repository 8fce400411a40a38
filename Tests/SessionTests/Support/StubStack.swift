@_spi(Host) import AtriumKit

/// A stack of screens that goes wherever it is sent, and keeps where.
@MainActor
final class StubStack: NavigationStack {
    var path = NavigationPath()
    /// Where it was sent.
    private(set) var requests: [NavigationPath] = []

    func go(to path: NavigationPath) {
        requests.append(path)
        self.path = path
    }
}
