import AtriumKit

/// Bookings, and the rule that only a draft without mistakes is sent.
@MainActor
final class BookingRepository {
    private let bookings: any BookingService
    private let analytics: any Analytics

    init(bookings: any BookingService, analytics: any Analytics) {
        self.bookings = bookings
        self.analytics = analytics
    }

    func book(_ draft: BookingDraft) async throws -> Booking {
        try ValidationError.check(draft.validate())
        let booking = try await bookings.book(draft)
        analytics.track(AnalyticsEvent("booked", ["seats": "\(draft.seats)"]))
        return booking
    }
}
