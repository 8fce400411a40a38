import AtriumKit

/// The numbers, and the rules for the names of series.
@MainActor
final class NumberRepository {
    private let numbers: any NumberService
    private let logger: Logger

    init(numbers: any NumberService, logger: Logger) {
        self.numbers = numbers
        self.logger = logger
    }

    /// Returns the next number of a series; white space around its name is ignored.
    func next(in series: String) async throws -> Int {
        let name = series.trimmed
        try ValidationError.check(Series.findings(in: name))
        let number = try await numbers.next(in: name)
        logger.info("Gave out number \(number) of series '\(name)'.")
        return number
    }

    func series() async throws -> [Series] { try await numbers.series() }
}
