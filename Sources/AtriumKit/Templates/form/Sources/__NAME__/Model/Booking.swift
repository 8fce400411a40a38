/// A draft that was sent.
struct Booking: Identifiable, Hashable, Sendable {
    /// What the person is told, to come back to it.
    let id: Int
    let draft: BookingDraft
}

/// Where people like to sit.
enum Seating: String, CaseIterable, Codable, Sendable {
    case anywhere, aisle, window
}
