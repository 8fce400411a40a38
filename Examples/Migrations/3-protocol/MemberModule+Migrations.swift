import AtriumKit

extension MemberModule {
    static let migrations = [
        Migration(
            1, "create member",
            sql: """
                CREATE TABLE member (
                    id INTEGER PRIMARY KEY CHECK (id = 1), first_name TEXT NOT NULL, last_name TEXT NOT NULL,
                    age INTEGER NOT NULL
                ) STRICT
                """)
    ]
}
