/// A draft that was sent.
struct Booking: Identifiable, Hashable, Sendable {
    /// The number that the user gets, to refer to the booking.
    let id: Int
    let draft: BookingDraft
}

/// The preferred seat.
enum Seating: String, CaseIterable, Codable, Sendable {
    case anywhere, aisle, window
}
