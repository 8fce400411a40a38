package import AtriumKit

/// What somebody asks of the stack, as data: kept while a guard sends them elsewhere, recorded, replayed.
package struct NavigationRequest: Codable, Hashable, Sendable {
    package let operation: Operation
    /// Where to, for operations that go to one place.
    package var link: String?
    /// The whole stack, for ``Operation/replaceAll``.
    package var links: [String]?
    /// The slot for the result, for ``Operation/present``.
    package var slot: String?
    private var boxedResult: BoxedResult?
    /// The entry that is to be shown, for ``Operation/reveal``; where that is replayed, its link is meant.
    package var entry: StackEntry.ID?
    /// Whether screens are left that object.
    package var isForced: Bool?

    /// The kinds of requests.
    package enum Operation: String, Codable, Hashable, Sendable, CaseIterable {
        case push, back, forward, popTo, root, replace, replaceAll, bringToFront, present, dismiss
        /// Takes the current place off for good, as a form that was stored: nothing leads forward to it.
        case leave
        /// Shows an entry that is on the stack already.
        case reveal
    }

    package init(
        _ operation: Operation, link: String? = nil, links: [String]? = nil, slot: String? = nil,
        result: PresentedResult? = nil, entry: StackEntry.ID? = nil, isForced: Bool = false
    ) {
        self.operation = operation
        self.link = link
        self.links = links
        self.slot = slot
        boxedResult = result.map(BoxedResult.init)
        self.entry = entry
        self.isForced = isForced ? true : nil
    }

    package static let back = NavigationRequest(.back)
    package static let forward = NavigationRequest(.forward)
    package static let root = NavigationRequest(.root)

    package static func push(_ link: String) -> NavigationRequest { NavigationRequest(.push, link: link) }

    /// The same, also where screens object to being left.
    package func forced(_ isForced: Bool = true) -> NavigationRequest {
        var request = self
        request.isForced = isForced ? true : nil
        return request
    }
}

extension NavigationRequest {
    /// What comes back, for ``Operation/dismiss``.
    package var result: PresentedResult? { boxedResult?.content }

    private enum CodingKeys: String, CodingKey {
        case operation, link, links, slot, entry, isForced
        case boxedResult = "result"
    }

    /// The command that asks for it.
    var command: String {
        let words: [String?] =
            switch operation {
            case .popTo: ["pop", link]
            case .replace: ["nav replace", link]
            case .replaceAll: ["nav replace --all", links?.joined(separator: " ")]
            case .bringToFront: ["nav front", link]
            case .present: ["nav present", link]
            case .dismiss: ["nav dismiss"]
            case .push: ["open", link]
            case .back, .leave: ["back"]
            case .forward, .root, .reveal: [operation.rawValue]
            }
        let force = isForced == true ? "--force" : nil
        return (words + [force]).compactMap { $0 }.joined(separator: " ")
    }
}

extension NavigationRequest: CustomStringConvertible {
    /// The request in words: "push entities/1".
    package var description: String {
        let words = [
            operation.rawValue, link, links.map { $0.joined(separator: " ") }, slot.map { "for \($0)" },
            entry.map { "entry \($0)" }, result?.json.map { "returning \($0)" },
            isForced == true ? "--force" : nil,
        ]
        return words.compactMap { $0 }.joined(separator: " ")
    }
}
