/// The issuer of numbers.
protocol NumberService: Sendable {
    /// Returns the next number of a series, which begins with its first use; no number is issued twice.
    func next(in series: String) async throws -> Int
    /// Returns all series, by name.
    func series() async throws -> [Series]
}
