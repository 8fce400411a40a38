import AtriumKit

/// The tables of the copy of a remote service's answers, and every statement on them.
///
/// Owners (an account at a server each), and for each of them: entities, the lists that were asked for (an
/// order and a filter each, whatever the size of its pages), and which entity stood at which place of which
/// list when it was last seen there.
enum EntityCopyQueries {
    // MARK: - Owners

    /// Arguments: server, account.
    static let keepOwner = "INSERT INTO copyOwners (server, account) VALUES (?, ?)"

    /// An owner; `IS`, as a guest's account is NULL.
    ///
    /// Arguments: server, account. Columns: owner.
    static let owner = "SELECT id FROM copyOwners WHERE server = ? AND account IS ?"

    // MARK: - Keeping

    /// Arguments: owner, then those of ``arguments(keeping:at:)``.
    static let keepEntity = """
        INSERT INTO copiedEntities (
            ownerID, id, name, category, notes, createdAt, updatedAt, nameKey, categoryKey, searchKey, seenAt
        )
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (ownerID, id) DO UPDATE SET
            name = excluded.name, category = excluded.category, notes = excluded.notes,
            createdAt = excluded.createdAt, updatedAt = excluded.updatedAt, nameKey = excluded.nameKey,
            categoryKey = excluded.categoryKey, searchKey = excluded.searchKey, seenAt = excluded.seenAt
        """

    /// Arguments: owner, sort, category key, search key, total, moment.
    static let keepList = """
        INSERT INTO copiedLists (ownerID, sort, categoryKey, searchKey, total, seenAt)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (ownerID, sort, categoryKey, searchKey) DO UPDATE
            SET total = excluded.total, seenAt = excluded.seenAt
        """

    /// Arguments: list, position, moment, owner, id.
    static let keepPlace = """
        INSERT INTO copiedPlaces (listID, position, copyID, seenAt)
        SELECT ?, ?, copyID, ? FROM copiedEntities WHERE ownerID = ? AND id = ?
        """

    /// Arguments: list.
    static let dropPlaces = "DELETE FROM copiedPlaces WHERE listID = ?"

    /// Arguments: list, first position, position behind the last.
    static let dropPlacesBetween =
        "DELETE FROM copiedPlaces WHERE listID = ? AND position >= ? AND position < ?"

    /// Arguments: list, owner, id.
    static let dropPlacesOfEntity = "DELETE FROM copiedPlaces WHERE listID = ? AND copyID = \(copy)"

    /// Arguments: owner, id.
    static let dropEntity = "DELETE FROM copiedEntities WHERE ownerID = ? AND id = ?"

    /// Arguments: owner, id.
    private static let copy = "(SELECT copyID FROM copiedEntities WHERE ownerID = ? AND id = ?)"

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
    /// Arguments: owner, id. Columns: list, position.
    static let places = "SELECT listID, position FROM copiedPlaces WHERE copyID = \(copy)"

    /// Where an entity stands and should not any more: it does not pass the filter.
    ///
    /// Arguments: owner, id. Columns: list, position.
    static let wrongPlaces = """
        SELECT listID, position
        FROM copiedPlaces
            JOIN copiedLists ON copiedLists.id = listID
            JOIN copiedEntities USING (copyID)
        WHERE copyID = \(copy) AND (
            copiedLists.categoryKey <> '' AND copiedLists.categoryKey <> copiedEntities.categoryKey
            OR instr(copiedEntities.searchKey, copiedLists.searchKey) = 0
        )
        """

    /// Drops what was not seen for longest.
    ///
    /// Arguments: how many may stay.
    static let trim = [
        ("copiedPlaces", "listID, position"), ("copiedEntities", "copyID"), ("copiedLists", "id"),
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
    /// Arguments: owner, sort, category key, search key. Columns: list, total, moment.
    static let list = """
        SELECT id, total, seenAt FROM copiedLists
        WHERE ownerID = ? AND sort = ? AND categoryKey = ? AND searchKey = ?
        """

    /// The rows of a list between two places.
    ///
    /// Arguments: list, first position, position behind the last. Columns: those of an entity, then moment.
    static let rows = """
        SELECT \(EntityQueries.columns), copiedPlaces.seenAt
        FROM copiedPlaces JOIN copiedEntities USING (copyID)
        WHERE listID = ? AND position >= ? AND position < ?
        ORDER BY position
        """

    /// A list of which every place is known, and that has all that passes a filter.
    ///
    /// Arguments: owner, category key, search key. Columns: list, moment of its oldest part.
    static let wholeList = """
        SELECT id, coalesce((SELECT min(seenAt) FROM copiedPlaces WHERE listID = id), seenAt) AS asOf
        FROM copiedLists
        WHERE ownerID = ? AND categoryKey IN ('', ?) AND searchKey IN ('', ?)
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
        FROM copiedPlaces JOIN copiedEntities USING (copyID)
        WHERE listID = ? AND ? IN ('', categoryKey) AND instr(searchKey, ?) > 0
        """

    /// One entity.
    ///
    /// Arguments: owner, id. Columns: those of an entity, then moment.
    static let entity = """
        SELECT \(EntityQueries.columns), seenAt FROM copiedEntities WHERE ownerID = ? AND id = ?
        """
}

extension EntityCopyQueries {
    /// The values for ``keepEntity``, behind the owner.
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
