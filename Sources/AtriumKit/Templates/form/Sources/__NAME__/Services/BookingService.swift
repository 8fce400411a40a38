/// The receiver of bookings.
protocol BookingService: Sendable {
    func book(_ draft: BookingDraft) async throws -> Booking
}
