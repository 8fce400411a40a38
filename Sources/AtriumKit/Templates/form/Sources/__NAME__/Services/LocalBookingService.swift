import AtriumKit

/// Bookings in the module's own database.
struct LocalBookingService: BookingService {
    /// A change of the table is a further migration; one that was released stays as it is.
    static let migrations = [
        Migration(
            1, "create bookings",
            sql: """
                CREATE TABLE bookings (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    name TEXT NOT NULL,
                    email TEXT NOT NULL,
                    seats INTEGER NOT NULL,
                    seating TEXT NOT NULL
                ) STRICT
                """)
    ]

    let database: any Database

    func book(_ draft: BookingDraft) async throws -> Booking {
        try await database.write { connection in
            try connection.execute(
                "INSERT INTO bookings (name, email, seats, seating) VALUES (?, ?, ?, ?)",
                [
                    draft.name.databaseValue, draft.email.databaseValue, draft.seats.databaseValue,
                    draft.seating.rawValue.databaseValue,
                ])
            return Booking(id: Int(connection.lastInsertedRowID), draft: draft)
        }
    }
}
