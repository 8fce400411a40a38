import AtriumKit

/// What a guest fills in to book.
struct Booking: Record {
    var id = 0
    var name = ""
    var email = ""
    var seats = 1
    var seating = Seating.anywhere

    static let fields: Fields<Booking> = [
        RecordField("name", "Who comes", \.name, .length(1...100)),
        RecordField("email", "Where the confirmation goes", \.email, .email),
        RecordField("seats", "How many come", \.seats, .range(1...8)),
        RecordField("seating", "The preferred seat", \.seating),
    ]
}

enum Seating: String, CaseIterable, RecordValue {
    case anywhere, aisle, window
}
