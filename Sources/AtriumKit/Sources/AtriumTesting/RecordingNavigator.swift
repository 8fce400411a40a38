public import AtriumKit

/// Goes nowhere, and keeps where it was sent: links, "back" and "root", in order.
@MainActor
public final class RecordingNavigator: Navigator {
    /// Where it was sent so far.
    public private(set) var moves: [String] = []

    public init() {}

    public func push(_ destination: any Destination) async throws {
        moves.append(try destination.link().description)
    }

    public func open(_ link: String) async throws {
        moves.append(link)
    }

    public func back() async throws {
        moves.append("back")
    }

    public func root() async throws {
        moves.append("root")
    }
}
