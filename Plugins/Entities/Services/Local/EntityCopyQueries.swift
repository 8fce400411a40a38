import AtriumKit

/// The tables of the copy of a remote service's answers, and every statement on them.
///
/// Entities, the lists that were asked for (an order and a filter each, whatever the size of its pages), and
/// which entity stood at which place of which list when it was last seen there.
enum EntityCopyQueries {
    /// The step that makes the tables.
    static func migration(_ version: Int) -> Migration {
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

    // MARK: - Keeping

    /// Arguments: those of ``arguments(keeping:at:)``.
    static let keepEntity = """
        INSERT INTO copiedEntities
            (id, name, category, notes, createdAt, updatedAt, nameKey, categoryKey, searchKey, seenAt)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
            name = excluded.name, category = excluded.category, notes = excluded.notes,
            createdAt = excluded.createdAt, updatedAt = excluded.updatedAt, nameKey = excluded.nameKey,
            categoryKey = excluded.categoryKey, searchKey = excluded.searchKey, seenAt = excluded.seenAt
        """

    /// Arguments: sort, category key, search key, total, moment.
    static let keepList = """
        INSERT INTO copiedLists (sort, categoryKey, searchKey, total, seenAt) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (sort, categoryKey, searchKey) DO UPDATE
            SET total = excluded.total, seenAt = excluded.seenAt
        """

    /// Arguments: list, position, id, moment.
    static let keepPlace = """
        INSERT INTO copiedPlaces (listID, position, entityID, seenAt) VALUES (?, ?, ?, ?)
        """

    /// Arguments: list.
    static let dropPlaces = "DELETE FROM copiedPlaces WHERE listID = ?"

    /// Arguments: list, first position, position behind the last.
    static let dropPlacesBetween =
        "DELETE FROM copiedPlaces WHERE listID = ? AND position >= ? AND position < ?"

    /// Arguments: list, id.
    static let dropPlacesOfEntity = "DELETE FROM copiedPlaces WHERE listID = ? AND entityID = ?"

    /// Arguments: id.
    static let dropEntity = "DELETE FROM copiedEntities WHERE id = ?"

    /// Closes the gap of a place that was dropped; in two steps, as no two rows may have one place.
    ///
    /// Arguments: list, position.
    static let closeGap = [
        "UPDATE copiedPlaces SET position = -position WHERE listID = ? AND position > ?",
        "UPDATE copiedPlaces SET position = -position - 1 WHERE listID = ? AND position < -?",
    ]

    /// Arguments: list.
    static let shortenList = "UPDATE copiedLists SET total = max(total - 1, 0) WHERE id = ?"

    /// Where an entity stands.
    ///
    /// Arguments: id. Columns: list, position.
    static let places = "SELECT listID, position FROM copiedPlaces WHERE entityID = ?"

    /// Where an entity stands and should not any more: it does not pass the filter.
    ///
    /// Arguments: id. Columns: list, position.
    static let wrongPlaces = """
        SELECT listID, position
        FROM copiedPlaces
            JOIN copiedLists ON copiedLists.id = listID
            JOIN copiedEntities ON copiedEntities.id = entityID
        WHERE entityID = ? AND (
            copiedLists.categoryKey <> '' AND copiedLists.categoryKey <> copiedEntities.categoryKey
            OR instr(copiedEntities.searchKey, copiedLists.searchKey) = 0
        )
        """

    /// Drops what was not seen for longest.
    ///
    /// Arguments: how many may stay.
    static let trim = [
        ("copiedPlaces", "listID, position"), ("copiedEntities", "id"), ("copiedLists", "id"),
    ].map { table, key in
        """
        DELETE FROM \(table) WHERE (\(key)) IN (
            SELECT \(key) FROM \(table) ORDER BY seenAt, \(key)
            LIMIT max(0, (SELECT count(*) FROM \(table)) - ?)
        )
        """
    }

    // MARK: - Answering

    /// A list by its order and filter.
    ///
    /// Arguments: sort, category key, search key. Columns: list, total, moment.
    static let list = """
        SELECT id, total, seenAt FROM copiedLists WHERE sort = ? AND categoryKey = ? AND searchKey = ?
        """

    /// The rows of a list between two places.
    ///
    /// Arguments: list, first position, position behind the last. Columns: those of an entity, then moment.
    static let rows = """
        SELECT \(EntityQueries.columns), copiedPlaces.seenAt
        FROM copiedPlaces JOIN copiedEntities ON copiedEntities.id = entityID
        WHERE listID = ? AND position >= ? AND position < ?
        ORDER BY position
        """

    /// A list of which every place is known, and that has all that passes a filter.
    ///
    /// Arguments: category key, search key. Columns: list, moment of its oldest part.
    static let wholeList = """
        SELECT id, coalesce((SELECT min(seenAt) FROM copiedPlaces WHERE listID = id), seenAt) AS asOf
        FROM copiedLists
        WHERE categoryKey IN ('', ?) AND searchKey IN ('', ?)
            AND total = (SELECT count(*) FROM copiedPlaces WHERE listID = copiedLists.id)
        ORDER BY asOf DESC, id LIMIT 1
        """

    /// How many entities of a list pass a filter.
    ///
    /// Arguments: list, then those of ``filter(_:)``.
    static let totalWithin = "SELECT count(*) \(within)"

    /// The entities of a list that pass a filter.
    ///
    /// Arguments: list, then those of ``filter(_:)``, size, offset. Columns: those of an entity.
    static func pageWithin(_ query: EntityQuery) -> String {
        """
        SELECT \(EntityQueries.columns) \(within) ORDER BY \(EntityQueries.order(query)) LIMIT ? OFFSET ?
        """
    }

    private static let within = """
        FROM copiedPlaces JOIN copiedEntities ON copiedEntities.id = entityID
        WHERE listID = ? AND ? IN ('', categoryKey) AND instr(searchKey, ?) > 0
        """

    /// One entity.
    ///
    /// Arguments: id. Columns: those of an entity, then moment.
    static let entity = "SELECT \(EntityQueries.columns), seenAt FROM copiedEntities WHERE id = ?"
}

extension EntityCopyQueries {
    /// The values for ``keepEntity``.
    static func arguments(keeping entity: Entity, at moment: Timestamp) -> [DatabaseValue] {
        [
            entity.id.databaseValue, .text(entity.name), entity.category.databaseValue,
            entity.notes.databaseValue, entity.createdAt.databaseValue, entity.updatedAt.databaseValue,
        ] + EntityQueries.keys(name: entity.name, category: entity.category, notes: entity.notes) + [
            moment.databaseValue
        ]
    }

    /// The filter of a query: category key and search key, empty where it has none.
    static func filter(_ query: EntityQuery) -> [DatabaseValue] {
        [.text(SearchKey.of(query.category ?? "")), .text(SearchKey.of(query.search ?? ""))]
    }
}
