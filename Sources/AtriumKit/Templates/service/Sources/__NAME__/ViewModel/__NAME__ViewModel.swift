import AtriumKit
import Observation

/// The series.
@MainActor
@Observable
final class __NAME__ViewModel: ViewModel {
    private(set) var series: [Series] = []
    private let numbers: NumberRepository

    init(numbers: NumberRepository) {
        self.numbers = numbers
    }

    func load() async throws {
        series = try await numbers.series()
    }

    func next(in series: String) async throws -> ActionResult {
        let number = try await numbers.next(in: series)
        return await .made("The number is \(number).") { try await load() }
    }
}
