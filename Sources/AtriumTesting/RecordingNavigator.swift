public import AtriumKit

/// A navigator that records navigations, in order: links, "back", "root", "present LINK" and the like.
@MainActor
public final class RecordingNavigator: Navigator {
    /// The navigations so far.
    public private(set) var moves: [String] = []
    /// The results of the next presentations, in order; cancelled if there is none.
    public var results: [PresentedResult] = []

    /// Creates a navigator without navigations, whose presentations are cancelled until ``results`` are set.
    public init() {}

    /// Records the destination's link; throws `LinkError` if it has none.
    public func push(_ destination: any Destination) async throws {
        moves.append(try destination.link().description)
    }

    /// Records the link as given, without checking it.
    public func open(_ link: String) async throws { moves.append(link) }

    /// Records `back`.
    public func back() async throws { moves.append("back") }

    /// Records `forward`.
    public func forward() async throws { moves.append("forward") }

    /// Records `pop to LINK`.
    public func pop(to link: String) async throws { moves.append("pop to \(link)") }

    /// Records `root`.
    public func root() async throws { moves.append("root") }

    /// Records `replace with LINK`; throws `LinkError` if the destination has none.
    public func replace(with destination: any Destination) async throws {
        moves.append("replace with \(try destination.link())")
    }

    /// Records `replace all with LINK, LINK`.
    public func replaceAll(with links: [String]) async throws {
        moves.append("replace all with \(links.joined(separator: ", "))")
    }

    /// Records `bring LINK to front`; throws `LinkError` if the destination has none.
    public func bringToFront(_ destination: any Destination) async throws {
        moves.append("bring \(try destination.link()) to front")
    }

    /// Records `present LINK`, and takes the result from ``results``; cancelled if there is none.
    public func present(_ item: PresentedItem) async throws -> PresentedResult {
        moves.append("present \(try item.link)")
        return results.isEmpty ? .cancelled : results.removeFirst()
    }

    /// Records `dismiss`, followed by `returning JSON` if there is a result.
    public func dismiss(_ result: PresentedResult) async throws {
        moves.append("dismiss" + (result.json.map { " returning \($0)" } ?? ""))
    }
}
