/// What came of building the whole graph once.
@_spi(Host) public struct VerificationReport: Sendable {
    /// What can't be built, each once, with everything that it keeps from working.
    public let findings: [Finding]
    /// What was left out, and why; not an error.
    public let notes: [String]
    /// How many registrations were built.
    public let checked: Int
    /// The graph with all edges that building it left.
    public let graph: DependencyGraph

    /// One thing that is wrong.
    public struct Finding: Sendable {
        public let error: any ExplainedError
        /// From the screen down, where a screen needs it.
        public let path: [String]
        /// The screens that can't be built because of it.
        public internal(set) var screens: [String]
    }
}
