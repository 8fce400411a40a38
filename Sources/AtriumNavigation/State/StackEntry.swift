@_spi(Host) package import AtriumKit

/// A stack entry, as data that survives restarts and the absence of its module.
package struct StackEntry: Codable, Hashable, Sendable, Identifiable {
    /// Unique within a stack; never reused.
    package let id: Int
    package let module: String
    /// The destination's name.
    package let destination: String
    package let version: Int
    package let link: String
    package var properties: ArchivedDestination
    /// The saved state of its view models as JSON, by type name.
    package var state: [String: String] = [:]
    /// Saved state that did not fit a later build, by type name; nil if there is none.
    package var earlier: [String: EarlierStates]?
    /// Results that its view models have not received yet.
    package var results: [PendingResult] = []
    /// Set if it is presented over another entry.
    package var presentation: Presentation?
    /// The requests that redirects to this entry postponed; the last one is resumed first.
    package var intents: [Intent] = []

    /// Saved states of a view model that other builds can read.
    package struct EarlierStates: Codable, Hashable, Sendable {
        /// The latest last.
        package var states: [String]
        /// The view model's state right after the failed restore; if unchanged, the screen was never used.
        package var unused: String?

        static let limit = 4

        init(_ state: String) { states = [state] }

        mutating func add(_ state: String) {
            states.removeAll { $0 == state }
            states = states.suffix(Self.limit - 1) + [state]
        }
    }

    /// A result for a view model that does not wait for it.
    package struct PendingResult: Codable, Hashable, Sendable {
        package let slot: String
        package let result: PresentedResult
    }

    /// The presenter of an entry and the slot for the result.
    package struct Presentation: Codable, Hashable, Sendable {
        /// Nil at the root.
        package var presenter: StackEntry.ID?
        /// The slot of the presenter's view model that receives the result.
        package var slot: String?
    }

    /// A request that a redirect postponed.
    package struct Intent: Codable, Hashable, Sendable {
        package let request: NavigationRequest
        package let guardName: String
        package let reason: String
        /// True if the entry of the redirect stays on the stack when the request is resumed.
        package let stays: Bool
    }
}

extension StackEntry {
    /// Older versions of the host wrote fewer fields.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        module = try container.decode(String.self, forKey: .module)
        destination = try container.decode(String.self, forKey: .destination)
        version = try container.decode(Int.self, forKey: .version)
        link = try container.decode(String.self, forKey: .link)
        properties = try container.decode(ArchivedDestination.self, forKey: .properties)
        state = try container.decodeIfPresent([String: String].self, forKey: .state) ?? [:]
        earlier = try container.decodeIfPresent([String: EarlierStates].self, forKey: .earlier)
        results = try container.decodeIfPresent([PendingResult].self, forKey: .results) ?? []
        presentation = try container.decodeIfPresent(Presentation.self, forKey: .presentation)
        intents = try container.decodeIfPresent([Intent].self, forKey: .intents) ?? []
    }
}

/// The properties of a destination, as a value or as JSON.
///
/// Most entries leave before they are archived, and encoding costs more than building their screens.
package struct ArchivedDestination: Sendable {
    private let form: Form

    private enum Form: Sendable {
        case value(any Destination)
        case json(String)
    }

    package init(_ destination: any Destination) {
        form = .value(destination)
    }

    package init(json: String) {
        form = .json(json)
    }

    package var json: String {
        get throws {
            switch form {
            case .value(let destination): try StateCoding.encode(destination)
            case .json(let text): text
            }
        }
    }
}

extension ArchivedDestination: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(json: try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(try json)
    }
}

extension ArchivedDestination: Hashable {
    package static func == (left: ArchivedDestination, right: ArchivedDestination) -> Bool {
        (try? left.json) == (try? right.json)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(try? json) }
}
