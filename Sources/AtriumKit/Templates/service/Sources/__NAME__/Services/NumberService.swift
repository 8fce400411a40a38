/// Gives out numbers.
protocol NumberService: Sendable {
    /// The next number of a series, which begins with its first use; nobody else gets the same one.
    func next(in series: String) async throws -> Int
    /// All series, by name.
    func series() async throws -> [Series]
}
