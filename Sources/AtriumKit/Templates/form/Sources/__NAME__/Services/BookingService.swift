/// Where bookings go.
protocol BookingService: Sendable {
    func book(_ draft: BookingDraft) async throws -> Booking
}
