@_spi(Host) import AtriumKit

/// A stack of screens at the profile form that is never sent anywhere.
@MainActor
final class FixedStack: NavigationStack {
    var path = NavigationPath(["profile", "profile/edit"])

    func go(to path: NavigationPath) {}
}
