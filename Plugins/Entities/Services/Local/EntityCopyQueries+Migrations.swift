import AtriumKit

extension EntityCopyQueries {
    /// The step that made the first tables, whose rows had no owner.
    static func firstMigration(_ version: Int) -> Migration {
        Migration(
            version, "create the copy of a remote service",
            sql: """
                CREATE TABLE copiedEntities (
                    id INTEGER PRIMARY KEY,
                    name TEXT NOT NULL,
                    category TEXT,
                    notes TEXT,
                    createdAt INTEGER NOT NULL,
                    updatedAt INTEGER NOT NULL,
                    nameKey TEXT NOT NULL,
                    categoryKey TEXT NOT NULL,
                    searchKey TEXT NOT NULL,
                    seenAt INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX copiedEntities_seen ON copiedEntities (seenAt);

                CREATE TABLE copiedLists (
                    id INTEGER PRIMARY KEY,
                    sort TEXT NOT NULL,
                    categoryKey TEXT NOT NULL,
                    searchKey TEXT NOT NULL,
                    total INTEGER NOT NULL,
                    seenAt INTEGER NOT NULL,
                    UNIQUE (sort, categoryKey, searchKey)
                ) STRICT;

                CREATE TABLE copiedPlaces (
                    listID INTEGER NOT NULL REFERENCES copiedLists (id) ON DELETE CASCADE,
                    position INTEGER NOT NULL,
                    entityID INTEGER NOT NULL REFERENCES copiedEntities (id) ON DELETE CASCADE,
                    seenAt INTEGER NOT NULL,
                    PRIMARY KEY (listID, position)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX copiedPlaces_entity ON copiedPlaces (entityID);
                CREATE INDEX copiedPlaces_seen ON copiedPlaces (seenAt);
                """)
    }

    /// The step that makes the tables; what had no owner is nobody's.
    static func migration(_ version: Int) -> Migration {
        Migration(
            version, "bind the copy of a remote service to server and account",
            sql: """
                DROP TABLE copiedPlaces;
                DROP TABLE copiedLists;
                DROP TABLE copiedEntities;

                CREATE TABLE copyOwners (
                    id INTEGER PRIMARY KEY,
                    server TEXT NOT NULL,
                    account TEXT
                ) STRICT;
                CREATE INDEX copyOwners_name ON copyOwners (server, account);

                CREATE TABLE copiedEntities (
                    copyID INTEGER PRIMARY KEY,
                    ownerID INTEGER NOT NULL REFERENCES copyOwners (id) ON DELETE CASCADE,
                    id INTEGER NOT NULL,
                    name TEXT NOT NULL,
                    category TEXT,
                    notes TEXT,
                    createdAt INTEGER NOT NULL,
                    updatedAt INTEGER NOT NULL,
                    nameKey TEXT NOT NULL,
                    categoryKey TEXT NOT NULL,
                    searchKey TEXT NOT NULL,
                    seenAt INTEGER NOT NULL,
                    UNIQUE (ownerID, id)
                ) STRICT;
                CREATE INDEX copiedEntities_seen ON copiedEntities (seenAt);

                CREATE TABLE copiedLists (
                    id INTEGER PRIMARY KEY,
                    ownerID INTEGER NOT NULL REFERENCES copyOwners (id) ON DELETE CASCADE,
                    sort TEXT NOT NULL,
                    categoryKey TEXT NOT NULL,
                    searchKey TEXT NOT NULL,
                    total INTEGER NOT NULL,
                    seenAt INTEGER NOT NULL,
                    UNIQUE (ownerID, sort, categoryKey, searchKey)
                ) STRICT;

                CREATE TABLE copiedPlaces (
                    listID INTEGER NOT NULL REFERENCES copiedLists (id) ON DELETE CASCADE,
                    position INTEGER NOT NULL,
                    copyID INTEGER NOT NULL REFERENCES copiedEntities (copyID) ON DELETE CASCADE,
                    seenAt INTEGER NOT NULL,
                    PRIMARY KEY (listID, position)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX copiedPlaces_entity ON copiedPlaces (copyID);
                CREATE INDEX copiedPlaces_seen ON copiedPlaces (seenAt);
                """)
    }
}
