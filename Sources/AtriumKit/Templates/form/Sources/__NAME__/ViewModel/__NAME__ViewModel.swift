import AtriumKit
import Observation

/// The form; its input is kept with the stack entry until it is sent.
@MainActor
@Observable
final class __NAME__ViewModel: ViewModel {
    let form: DraftForm<Booking>
    /// The booking that was sent last.
    private(set) var sent = Booking()
    private let bookings: RecordRepository<Booking>

    init(bookings: RecordRepository<Booking>, session: SessionState) {
        self.bookings = bookings
        form = DraftForm(session, action: "send", participle: "sent") { DraftForm.Loaded(Booking(), of: nil) }
    }

    /// Sends the input, and empties the form; after a failure the input is kept.
    func send() async throws -> ActionResult {
        _ = try await form.save { changes, _ in
            self.sent = try await self.bookings.create(changes.applied(to: Booking()))
            return Booking()
        }
        let seats = sent.seats == 1 ? "a seat" : "\(sent.seats) seats"
        return .leave("Booked \(seats) for \(sent.name); the booking's number is \(sent.id).")
    }

    func reset() async throws -> ActionResult {
        _ = try await form.reset()
        return .updated("The form is empty.")
    }
}

extension __NAME__ViewModel {
    var savedState: RecordInput? { form.savedState }
    func restore(_ state: RecordInput?) { form.restore(state) }
    var leaveObjections: [LeaveObjection] { form.leaveObjections }
}
