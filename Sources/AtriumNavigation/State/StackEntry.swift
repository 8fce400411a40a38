package import AtriumKit

/// One place on the stack, as data: it survives restarts, and the absence of its module.
package struct StackEntry: Codable, Hashable, Sendable, Identifiable {
    /// Unique among the entries of a stack, never used again.
    package let id: Int
    /// The module whose screen it shows.
    package let module: String
    /// The destination's name.
    package let destination: String
    /// The version of the destination's properties.
    package let version: Int
    /// The link that leads to it.
    package let link: String
    /// The destination itself.
    package var properties: ArchivedDestination
    /// The saved state of its view models as JSON, by type name.
    package var state: [String: String] = [:]
    /// Results of what it presented, which its view models have not received yet.
    package var results: [PendingResult] = []
    /// What it is presented over, where it is presented.
    package var presentation: Presentation?
    /// Where guards sent away from to here, the last one first to be gone on to; empty where none did.
    package var intents: [Intent] = []

    init(
        id: Int, module: String, destination: String, version: Int, link: String,
        properties: ArchivedDestination
    ) {
        self.id = id
        self.module = module
        self.destination = destination
        self.version = version
        self.link = link
        self.properties = properties
    }

    /// A result on its way to a view model that does not wait for it.
    package struct PendingResult: Codable, Hashable, Sendable {
        package let slot: String
        package let result: PresentedResult
    }

    /// Over what an entry is presented, and where its result goes.
    package struct Presentation: Codable, Hashable, Sendable {
        /// The entry that presents it; nil where it is presented over the root.
        package var presenter: StackEntry.ID?
        /// The slot of the presenter's view model that takes the result.
        package var slot: String?
    }

    /// Where somebody wanted to go when a guard sent them elsewhere.
    package struct Intent: Codable, Hashable, Sendable {
        /// What was asked for.
        package let request: NavigationRequest
        /// The guard that sent them elsewhere.
        package let guardName: String
        /// Why, in its words.
        package let reason: String
        /// Whether the place they were sent to stays on the stack when they go on.
        package let stays: Bool
    }

    // MARK: - Codable

    /// Fields that older versions of the host did not keep may be missing.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        module = try container.decode(String.self, forKey: .module)
        destination = try container.decode(String.self, forKey: .destination)
        version = try container.decode(Int.self, forKey: .version)
        link = try container.decode(String.self, forKey: .link)
        properties = try container.decode(ArchivedDestination.self, forKey: .properties)
        state = try container.decodeIfPresent([String: String].self, forKey: .state) ?? [:]
        results = try container.decodeIfPresent([PendingResult].self, forKey: .results) ?? []
        presentation = try container.decodeIfPresent(Presentation.self, forKey: .presentation)
        intents = try container.decodeIfPresent([Intent].self, forKey: .intents) ?? []
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(module, forKey: .module)
        try container.encode(destination, forKey: .destination)
        try container.encode(version, forKey: .version)
        try container.encode(link, forKey: .link)
        try container.encode(properties, forKey: .properties)
        if !state.isEmpty { try container.encode(state, forKey: .state) }
        if !results.isEmpty { try container.encode(results, forKey: .results) }
        try container.encodeIfPresent(presentation, forKey: .presentation)
        if !intents.isEmpty { try container.encode(intents, forKey: .intents) }
    }

    private enum CodingKeys: CodingKey {
        case id, module, destination, version, link, properties, state, results, presentation, intents
    }
}
