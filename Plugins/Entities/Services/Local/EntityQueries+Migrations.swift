import AtriumKit

extension EntityQueries {
    static let migrations = [
        Migration(
            1, "create entities",
            sqlite: """
                CREATE TABLE entities (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    name TEXT NOT NULL,
                    category TEXT,
                    notes TEXT,
                    createdAt INTEGER NOT NULL,
                    updatedAt INTEGER NOT NULL,
                    nameKey TEXT NOT NULL,
                    categoryKey TEXT NOT NULL,
                    searchKey TEXT NOT NULL
                ) STRICT;
                CREATE INDEX entities_name ON entities (nameKey);
                CREATE INDEX entities_created ON entities (createdAt);
                CREATE INDEX entities_category_name ON entities (categoryKey, nameKey);
                CREATE INDEX entities_category_created ON entities (categoryKey, createdAt);

                CREATE TABLE entityTotal (
                    count INTEGER NOT NULL
                ) STRICT;
                INSERT INTO entityTotal (count) VALUES (0);
                CREATE TABLE categoryTotals (
                    categoryKey TEXT PRIMARY KEY,
                    count INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;

                CREATE TRIGGER entities_inserted AFTER INSERT ON entities BEGIN
                    UPDATE entityTotal SET count = count + 1;
                    INSERT INTO categoryTotals (categoryKey, count) VALUES (new.categoryKey, 1)
                        ON CONFLICT (categoryKey) DO UPDATE SET count = count + 1;
                END;
                CREATE TRIGGER entities_deleted AFTER DELETE ON entities BEGIN
                    UPDATE entityTotal SET count = count - 1;
                    UPDATE categoryTotals SET count = count - 1 WHERE categoryKey = old.categoryKey;
                    DELETE FROM categoryTotals WHERE categoryKey = old.categoryKey AND count = 0;
                END;
                CREATE TRIGGER entities_moved AFTER UPDATE OF categoryKey ON entities
                WHEN old.categoryKey <> new.categoryKey BEGIN
                    INSERT INTO categoryTotals (categoryKey, count) VALUES (new.categoryKey, 1)
                        ON CONFLICT (categoryKey) DO UPDATE SET count = count + 1;
                    UPDATE categoryTotals SET count = count - 1 WHERE categoryKey = old.categoryKey;
                    DELETE FROM categoryTotals WHERE categoryKey = old.categoryKey AND count = 0;
                END;
                """,
            // Without totals: each change would wait for every other one to leave their rows.
            postgresql: """
                CREATE TABLE entities (
                    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    name text NOT NULL,
                    category text,
                    notes text,
                    createdAt bigint NOT NULL,
                    updatedAt bigint NOT NULL,
                    nameKey text COLLATE "C" NOT NULL,
                    categoryKey text COLLATE "C" NOT NULL,
                    searchKey text COLLATE "C" NOT NULL
                );
                CREATE INDEX entities_name ON entities (nameKey, id);
                CREATE INDEX entities_created ON entities (createdAt, id);
                CREATE INDEX entities_category_name ON entities (categoryKey, nameKey, id);
                CREATE INDEX entities_category_created ON entities (categoryKey, createdAt, id);
                """),
        Migration(
            2, "index the texts of entities",
            sqlite: """
                CREATE VIRTUAL TABLE entitySearch USING fts5 (
                    searchKey, content = 'entities', content_rowid = 'id', columnsize = 0,
                    tokenize = 'trigram case_sensitive 1'
                );
                INSERT INTO entitySearch (entitySearch) VALUES ('rebuild');
                """,
            postgresql: """
                CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
                CREATE INDEX entities_search ON entities USING gin (searchKey public.gin_trgm_ops);
                """),
        // Versions 3 and 4 had tables of their own for what a server answered.
        Migration(3, "reserved", sql: "SELECT 1"),
        Migration(4, "reserved", sql: "SELECT 1"),
        OfflineStore.migration(5),
        Migration(
            6, "drop the former tables of a server's answers",
            sql: """
                DROP TABLE IF EXISTS copiedPlaces;
                DROP TABLE IF EXISTS copiedLists;
                DROP TABLE IF EXISTS copiedEntities;
                DROP TABLE IF EXISTS copyOwners;
                """),
    ]
}
