import AtriumKit

/// Bookings in the module's own database.
struct LocalBookingService: BookingService {
    /// To change the table, add a migration; never edit one that was released.
    static let migrations = [
        Migration(
            1, "create bookings",
            sqlite: """
                CREATE TABLE bookings (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    name TEXT NOT NULL,
                    email TEXT NOT NULL,
                    seats INTEGER NOT NULL,
                    seating TEXT NOT NULL
                ) STRICT
                """,
            postgresql: """
                CREATE TABLE bookings (
                    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    name text NOT NULL,
                    email text NOT NULL,
                    seats bigint NOT NULL,
                    seating text NOT NULL
                )
                """)
    ]

    let database: any Database

    func book(_ draft: BookingDraft) async throws -> Booking {
        try await database.write { connection in
            let ids: [Int] = try connection.query(
                "INSERT INTO bookings (name, email, seats, seating) VALUES (?, ?, ?, ?) RETURNING id",
                [
                    draft.name.databaseValue, draft.email.databaseValue, draft.seats.databaseValue,
                    draft.seating.rawValue.databaseValue,
                ]
            ) { try $0.value(0) }
            return Booking(id: ids[0], draft: draft)
        }
    }
}
