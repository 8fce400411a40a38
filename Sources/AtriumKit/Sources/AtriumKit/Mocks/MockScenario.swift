/// The behavior of a module's mock services; the manifest declares the keys `scenario` and `delay`.
public struct MockScenario: Sendable {
    /// The kind of scenario.
    public let kind: Kind
    /// The time that ``Kind/slow`` waits before it answers.
    public let delay: Duration

    /// Creates a scenario; `delay` applies to ``Kind/slow`` only.
    public init(_ kind: Kind = .success, delay: Duration = .zero) {
        self.kind = kind
        self.delay = delay
    }

    /// Reads `scenario` and `delay` (seconds, clamped to 0 to 3,600); by default `success` and 0.5.
    public init(_ configuration: Configuration) {
        let seconds = configuration.double("delay") ?? 0.5
        self.init(
            configuration.string("scenario").flatMap(Kind.init) ?? .success,
            delay: Duration(seconds: min(max(seconds, 0), 3_600).argumentText) ?? .zero)
    }

    /// The scenarios, named as in the configuration.
    @frozen public enum Kind: String, Sendable, CaseIterable {
        /// Answers as expected.
        case success
        /// Fails with the service's own error.
        case error
        /// Answers with data that is long, empty or in unexpected scripts.
        case edge
        /// Answers as expected, after the delay.
        case slow
    }
}
