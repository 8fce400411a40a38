public import AtriumKit

/// A navigator that records navigations, in order: links, "back", "root", "present LINK" and the like.
@MainActor
public final class RecordingNavigator: Navigator {
    /// The navigations so far.
    public private(set) var moves: [String] = []
    /// The results of the next presentations, in order; cancelled if there is none.
    public var results: [PresentedResult] = []

    public init() {}

    public func push(_ destination: any Destination) async throws {
        moves.append(try destination.link().description)
    }

    public func open(_ link: String) async throws { moves.append(link) }

    public func back() async throws { moves.append("back") }

    public func forward() async throws { moves.append("forward") }

    public func pop(to link: String) async throws { moves.append("pop to \(link)") }

    public func root() async throws { moves.append("root") }

    public func replace(with destination: any Destination) async throws {
        moves.append("replace with \(try destination.link())")
    }

    public func replaceAll(with links: [String]) async throws {
        moves.append("replace all with \(links.joined(separator: ", "))")
    }

    public func bringToFront(_ destination: any Destination) async throws {
        moves.append("bring \(try destination.link()) to front")
    }

    public func present(_ item: PresentedItem) async throws -> PresentedResult {
        moves.append("present \(try item.link)")
        return results.isEmpty ? .cancelled : results.removeFirst()
    }

    public func dismiss(_ result: PresentedResult) async throws {
        moves.append("dismiss" + (result.json.map { " returning \($0)" } ?? ""))
    }
}
