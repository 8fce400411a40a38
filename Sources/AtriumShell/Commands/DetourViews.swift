@_spi(Host) internal import AtriumKit
internal import AtriumNavigation

/// What is said where a guard sends somebody elsewhere.
enum DetourViews {
    /// Why another place is shown, and that the one that was wanted follows.
    static func message(_ arrival: Arrival, isOnStack: Bool = true) -> String? {
        guard let detour = arrival.redirect else { return nil }
        let wanted = detour.request.link.map { "'\($0)'" } ?? "The place"
        return isOnStack ? "\(detour.reason) \(wanted) follows then." : detour.reason
    }

    /// That somebody is now where they wanted to go.
    @MainActor
    static func wentOn(_ arrival: Arrival, _ coordinator: Coordinator) -> String {
        message(arrival) ?? "Went on to '\(coordinator.currentEntry?.link ?? "home")'."
    }
}
