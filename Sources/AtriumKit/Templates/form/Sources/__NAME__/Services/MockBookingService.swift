import AtriumKit

/// A service that assigns numbers, and forgets the bookings.
actor MockBookingService: BookingService {
    private let behavior: MockBehavior
    private var lastID = 0

    init(behavior: MockBehavior) {
        self.behavior = behavior
    }

    func book(_ draft: BookingDraft) async throws -> Booking {
        try await behavior.play("book", ["name": draft.name, "seats": "\(draft.seats)"])
        lastID += 1
        return Booking(id: lastID, draft: draft)
    }
}
