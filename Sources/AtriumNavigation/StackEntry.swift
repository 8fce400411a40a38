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
    /// The destination's properties as JSON.
    package let properties: String
    /// The saved state of its view models as JSON, by type name.
    package var state: [String: String]

    init(
        id: Int, module: String, destination: String, version: Int, link: String, properties: String,
        state: [String: String] = [:]
    ) {
        self.id = id
        self.module = module
        self.destination = destination
        self.version = version
        self.link = link
        self.properties = properties
        self.state = state
    }
}
