internal import AtriumKit

/// A request with the destination that it names, where that is known.
final class QueuedRequest: Sendable {
    let request: NavigationRequest
    let destination: (any Destination)?
    /// Its link, where that is known; to make it costs more than to build a small screen.
    let link: Link?
    /// Whether somebody waits for the result of what is presented.
    let isAwaited: Bool
    /// What the guards made of it, where they were asked before.
    let result: GuardResult?

    init(
        _ request: NavigationRequest, _ destination: (any Destination)? = nil, link: Link? = nil,
        isAwaited: Bool = false, result: GuardResult? = nil
    ) {
        self.request = request
        self.destination = destination
        self.link = link
        self.isAwaited = isAwaited
        self.result = result
    }

    /// Whether a place is gone to that may have to be built.
    var goesToOnePlace: Bool {
        switch request.operation {
        case .push, .replace, .present, .bringToFront: true
        case .replaceAll, .back, .leave, .forward, .popTo, .root, .dismiss, .reveal: false
        }
    }
}
