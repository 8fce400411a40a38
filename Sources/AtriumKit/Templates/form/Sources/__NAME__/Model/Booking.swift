import AtriumKit

/// A booking, as a guest fills it in.
struct Booking: Record {
    var id = 0
    var name = ""
    var email = ""
    var seats = 1
    var seating = Seating.anywhere

    static let fields: Fields<Booking> = [
        RecordField("name", "The guest's name", \.name, .length(1...100)),
        RecordField("email", "The address for the confirmation", \.email, .email),
        RecordField("seats", "The number of seats", \.seats, .range(1...8)),
        RecordField("seating", "The preferred seat", \.seating),
    ]
}

enum Seating: String, CaseIterable, RecordValue {
    case anywhere, aisle, window
}
