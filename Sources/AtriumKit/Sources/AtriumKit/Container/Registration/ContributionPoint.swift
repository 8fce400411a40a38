/// A list that several modules add to, and that any of them may read.
///
/// ```swift
/// extension ContributionPoint where Element == any Exporter {
///     static let exporters = ContributionPoint("exporters")
/// }
/// ```
public struct ContributionPoint<Element>: Sendable {
    /// Tells lists of one type of element apart.
    public let name: String

    public init(_ name: String) {
        self.name = name
    }

    /// Stands for the list in the graph.
    var key: RegistrationKey { RegistrationKey(Element.self, .list, named: name) }
}

/// An element of a list, with the module that added it.
public struct Contribution<Element> {
    /// The module that added it.
    public let module: String
    /// Lower ones come first.
    public let order: Int
    public let value: Element
}

extension Contribution: Sendable where Element: Sendable {}
