package import AtriumKit

/// A request to change the stack, as data: archived with a redirect.
package struct NavigationRequest: Codable, Hashable, Sendable {
    package let operation: Operation
    /// The link of the screen, for operations that enter one.
    package var link: String?
    /// The whole stack, for ``Operation/replaceAll``.
    package var links: [String]?
    /// The slot for the result, for ``Operation/present``.
    package var slot: String?
    /// Not the SDK's type: its size is known only at run time, and each copy of a request would look it up.
    private var returned: Returned?
    /// The entry to show, for ``Operation/reveal``.
    package var entry: StackEntry.ID?
    /// True to leave screens that object.
    package var isForced: Bool?

    private struct Returned: Codable, Hashable {
        let json: String?
    }

    package enum Operation: String, Codable, Hashable, Sendable, CaseIterable {
        case push, back, forward, popTo, root, replace, replaceAll, bringToFront, present, dismiss
        /// Removes the current entry for good, such as a saved form; `forward` can't bring it back.
        case leave
        /// Shows an entry that is on the stack.
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
        returned = result.map { Returned(json: $0.json) }
        self.entry = entry
        self.isForced = isForced ? true : nil
    }

    package static let back = NavigationRequest(.back)
    package static let forward = NavigationRequest(.forward)
    package static let root = NavigationRequest(.root)

    package static func push(_ link: String) -> NavigationRequest { NavigationRequest(.push, link: link) }

    package func forced(_ isForced: Bool = true) -> NavigationRequest {
        var request = self
        request.isForced = isForced ? true : nil
        return request
    }
}

extension NavigationRequest {
    /// The result to return, for ``Operation/dismiss``.
    package var result: PresentedResult? { returned.map { PresentedResult(json: $0.json) } }

    private enum CodingKeys: String, CodingKey {
        case operation, link, links, slot, entry, isForced
        case returned = "result"
    }

    var command: String {
        let words: [String?] =
            switch operation {
            case .popTo, .bringToFront: ["back", link]
            case .replace: ["nav replace", link]
            case .replaceAll: ["nav replace --all", links?.joined(separator: " ")]
            case .push, .present: ["open", link]
            case .back, .leave, .dismiss: ["back"]
            case .forward, .root, .reveal: [operation.rawValue]
            }
        let force = isForced == true ? "--force" : nil
        return (words + [force]).compactMap { $0 }.joined(separator: " ")
    }
}

extension NavigationRequest: CustomStringConvertible {
    /// The request as text: "push entities/1".
    package var description: String {
        let words = [
            operation.rawValue, link, links.map { $0.joined(separator: " ") }, slot.map { "for \($0)" },
            entry.map { "entry \($0)" }, returned?.json.map { "returning \($0)" },
            isForced == true ? "--force" : nil,
        ]
        return words.compactMap { $0 }.joined(separator: " ")
    }
}
