/// A declaration of one module that others use.
public protocol __NAME__Service: Sendable {
    /// All entries, in their order.
    func entries() async throws -> [__NAME__Entry]
}

/// A value that the modules pass to each other.
public struct __NAME__Entry: Sendable, Hashable, Identifiable {
    public var id: Int
    public var title: String

    public init(id: Int, title: String) {
        (self.id, self.title) = (id, title)
    }
}
