import AtriumKit
import Observation

/// The greeting on the screen.
@MainActor
@Observable
final class __NAME__ViewModel: ViewModel {
    private(set) var greeting = "Hello, world."
    private let guests: RecordRepository<Guest>

    init(guests: RecordRepository<Guest>) { self.guests = guests }

    func greet(_ name: String) async throws -> ActionResult {
        let guest = try await guests.create(Guest(name: name))
        greeting = "Hello, \(guest.name)."
        return .updated
    }
}
