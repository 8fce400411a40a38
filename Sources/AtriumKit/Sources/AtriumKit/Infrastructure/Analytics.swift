/// Records what people did, for repositories to report after success.
public protocol Analytics: Sendable {
    func track(_ event: AnalyticsEvent)
}

/// Something that a person did.
public struct AnalyticsEvent: Sendable, Hashable {
    /// What happened, in lower camel case: `profileSubmitted`.
    public let name: String
    /// Facts about it; never personal data, never secrets.
    public let properties: [String: String]

    public init(_ name: String, _ properties: [String: String] = [:]) {
        self.name = name
        self.properties = properties
    }
}
