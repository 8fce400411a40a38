/// What a module's mock services do; its manifest declares the keys `scenario` and `delay`.
public struct MockScenario: Sendable {
    /// Which of the scenarios.
    public let kind: Kind
    /// How long ``Kind/slow`` takes.
    public let delay: Duration

    public init(_ kind: Kind = .success, delay: Duration = .zero) {
        self.kind = kind
        self.delay = delay
    }

    /// The scenario of `scenario` and `delay`; a delay outside 0 to 3,600 seconds counts as the nearer end.
    public init(_ configuration: Configuration) {
        let seconds = configuration.double("delay") ?? 0.5
        self.init(
            configuration.string("scenario").flatMap(Kind.init) ?? .success,
            delay: .seconds(min(max(seconds, 0), 3_600)))
    }

    /// The scenarios by the names under which they are configured.
    @frozen public enum Kind: String, Sendable, CaseIterable {
        /// Answers as expected.
        case success
        /// Fails with the service's own error.
        case error
        /// Answers with data that is long, empty or in unexpected scripts.
        case edge
        /// Answers as expected, late.
        case slow
    }
}
