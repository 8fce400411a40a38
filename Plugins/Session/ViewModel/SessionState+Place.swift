import AtriumKit

extension SessionState {
    /// Whether a place is the current one, so that its actions can be typed without its link.
    func isCurrent(_ destination: some Destination) -> Bool {
        guard let current = navigationState.links.last else { return false }
        return (try? destination.link().description) == current
    }
}
