import AtriumKit
import Observation

/// The form; its input is kept with the stack entry until it is sent.
@MainActor
@Observable
final class __NAME__ViewModel: ViewModel {
    private(set) var draft = BookingDraft()
    private(set) var problems: [BookingField: String] = [:]
    private(set) var isSending = false
    private let bookings: BookingRepository

    init(bookings: BookingRepository) {
        self.bookings = bookings
    }

    func set(_ field: BookingField, to text: String) throws -> ActionResult {
        guard !isSending else { throw ServiceError.bookingIsBeingSent }
        problems[field] = nil
        do {
            try draft.set(field, to: text)
        } catch let error as ValidationError {
            show(error.findings)
            throw error
        }
        return .updated("Set the \(field.rawValue).")
    }

    /// Sends the input, and empties the form; after a failure the input is kept.
    func send() async throws -> ActionResult {
        guard !isSending else { throw ServiceError.bookingIsBeingSent }
        problems = [:]
        show(draft.validate())
        isSending = true
        defer { isSending = false }
        let booking = try await bookings.book(draft)
        draft = BookingDraft()
        let seats = booking.draft.seats == 1 ? "a seat" : "\(booking.draft.seats) seats"
        return .leave("Booked \(seats) for \(booking.draft.name); the booking's number is \(booking.id).")
    }

    func reset() throws -> ActionResult {
        guard !isSending else { throw ServiceError.bookingIsBeingSent }
        (draft, problems) = (BookingDraft(), [:])
        return .updated("The form is empty.")
    }

    private func show(_ findings: [ValidationFinding]) {
        for (name, found) in Dictionary(grouping: findings, by: \.field) {
            guard let field = name.flatMap(BookingField.init) else { continue }
            problems[field] = found.map(\.message).joined(separator: " ")
        }
    }
}

extension __NAME__ViewModel {
    var savedState: BookingDraft { draft }

    func restore(_ state: BookingDraft) {
        draft = state
    }

    var leaveObjections: [LeaveObjection] {
        draft == BookingDraft() ? [] : [LeaveObjection("The booking is not sent.", hint: "send")]
    }
}
