@_spi(Host) import AtriumKit

/// A navigation stack with the profile form on top, which ignores requests.
@MainActor
final class FixedStack: NavigationStack {
    var path = NavigationPath(["profile", "profile/edit"])

    func go(to path: NavigationPath) {}
}
