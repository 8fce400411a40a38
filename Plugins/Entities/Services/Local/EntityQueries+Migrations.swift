import AtriumKit

extension EntityQueries {
    static let migrations = [
        Migration(
            1, "create entities",
            sqlite: """
                CREATE TABLE entities (
                    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, category TEXT, notes TEXT,
                    createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
                    nameKey TEXT NOT NULL, categoryKey TEXT NOT NULL, searchKey TEXT NOT NULL
                ) STRICT;
                CREATE INDEX entities_name ON entities (nameKey);
                CREATE INDEX entities_created ON entities (createdAt);
                CREATE INDEX entities_category_name ON entities (categoryKey, nameKey);
                CREATE INDEX entities_category_created ON entities (categoryKey, createdAt);

                CREATE TABLE entityTotal (count INTEGER NOT NULL) STRICT;
                INSERT INTO entityTotal (count) VALUES (0);
                CREATE TABLE categoryTotals (categoryKey TEXT PRIMARY KEY, count INTEGER NOT NULL)
                    STRICT, WITHOUT ROWID;

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
            // Each connection counts in separate rows, so that changes need not wait for each other.
            postgresql: """
                CREATE TABLE entities (
                    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    name text NOT NULL, category text, notes text,
                    createdAt bigint NOT NULL, updatedAt bigint NOT NULL, nameKey text COLLATE "C" NOT NULL,
                    categoryKey text COLLATE "C" NOT NULL, searchKey text COLLATE "C" NOT NULL
                );
                CREATE INDEX entities_name ON entities (nameKey, id);
                CREATE INDEX entities_created ON entities (createdAt, id);
                CREATE INDEX entities_category_name ON entities (categoryKey, nameKey, id);
                CREATE INDEX entities_category_created ON entities (categoryKey, createdAt, id);

                CREATE TABLE totalParts (
                    isTotal int, categoryKey text COLLATE "C", part int, count bigint NOT NULL,
                    PRIMARY KEY (isTotal, categoryKey, part)
                ) WITH (fillfactor = 50);
                CREATE VIEW entityTotal AS
                    SELECT coalesce(sum(count), 0)::bigint AS count FROM totalParts WHERE isTotal = 1;
                CREATE VIEW categoryTotals AS
                    SELECT categoryKey, sum(count)::bigint AS count FROM totalParts WHERE isTotal = 0
                    GROUP BY categoryKey HAVING sum(count) > 0;

                CREATE FUNCTION countEntities() RETURNS trigger LANGUAGE plpgsql
                    SET search_path FROM CURRENT AS $$ BEGIN
                    IF TG_OP = 'TRUNCATE' THEN
                        DELETE FROM totalParts;
                        RETURN NULL;
                    END IF;
                    IF TG_OP <> 'DELETE' THEN
                        INSERT INTO totalParts AS counted
                            SELECT grouping(categoryKey), coalesce(categoryKey, ''), pg_backend_pid() % 64, count(*)
                            FROM added GROUP BY GROUPING SETS ((categoryKey), ())
                            ON CONFLICT (isTotal, categoryKey, part)
                            DO UPDATE SET count = counted.count + excluded.count;
                    END IF;
                    IF TG_OP <> 'INSERT' THEN
                        INSERT INTO totalParts AS counted
                            SELECT grouping(categoryKey), coalesce(categoryKey, ''), pg_backend_pid() % 64, -count(*)
                            FROM removed GROUP BY GROUPING SETS ((categoryKey), ())
                            ON CONFLICT (isTotal, categoryKey, part)
                            DO UPDATE SET count = counted.count + excluded.count;
                    END IF;
                    RETURN NULL;
                END $$;
                CREATE TRIGGER entities_inserted AFTER INSERT ON entities REFERENCING NEW TABLE AS added
                    FOR EACH STATEMENT EXECUTE FUNCTION countEntities();
                CREATE TRIGGER entities_deleted AFTER DELETE ON entities REFERENCING OLD TABLE AS removed
                    FOR EACH STATEMENT EXECUTE FUNCTION countEntities();
                CREATE TRIGGER entities_emptied AFTER TRUNCATE ON entities
                    FOR EACH STATEMENT EXECUTE FUNCTION countEntities();
                CREATE TRIGGER entities_moved AFTER UPDATE ON entities
                    REFERENCING OLD TABLE AS removed NEW TABLE AS added
                    FOR EACH STATEMENT EXECUTE FUNCTION countEntities();
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
        // Versions 3 and 4 had separate tables for a server's answers.
        Migration(3, "reserved", sql: "SELECT 1"),
        Migration(4, "reserved", sql: "SELECT 1"),
        OfflineStore.migration(5),
        Migration(
            6, "drop the former tables of a server's answers",
            sql: """
                DROP TABLE IF EXISTS copiedPlaces; DROP TABLE IF EXISTS copiedLists;
                DROP TABLE IF EXISTS copiedEntities; DROP TABLE IF EXISTS copyOwners;
                """),
        // A category whose entities are gone has parts that cancel each other out. Looking for them conflicts
        // with other changes, so a statement does with a probability that grows with the rows it removes.
        Migration(
            7, "remove the totals of categories without entities", sqlite: "SELECT 1",
            postgresql: """
                CREATE FUNCTION removeEmptyParts() RETURNS void LANGUAGE sql SET search_path FROM CURRENT AS $$
                    DELETE FROM totalParts WHERE isTotal = 0 AND categoryKey IN (
                        SELECT categoryKey FROM totalParts WHERE isTotal = 0
                        GROUP BY categoryKey HAVING sum(count) = 0)
                $$;
                CREATE FUNCTION tidyParts() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
                    -- Without a snapshot of the transaction, a part counted meanwhile would be removed too.
                    IF current_setting('transaction_isolation') <> 'read committed'
                        AND random() * 1000 < (SELECT count(*) FROM removed)
                    THEN PERFORM removeEmptyParts(); END IF;
                    RETURN NULL;
                END $$;
                CREATE TRIGGER tidy_deleted AFTER DELETE ON entities REFERENCING OLD TABLE AS removed
                    FOR EACH STATEMENT EXECUTE FUNCTION tidyParts();
                CREATE TRIGGER tidy_moved AFTER UPDATE ON entities REFERENCING OLD TABLE AS removed
                    FOR EACH STATEMENT EXECUTE FUNCTION tidyParts();
                LOCK TABLE totalParts IN SHARE ROW EXCLUSIVE MODE;
                SELECT removeEmptyParts();
                """
        ).backwardCompatible(),
        // An update writes the parts of the categories that it changes alone, so renaming conflicts with nothing.
        Migration(
            8, "count what an update moves", sqlite: "SELECT 1",
            postgresql: """
                CREATE FUNCTION countMoved() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
                DECLARE changed bigint; BEGIN
                    INSERT INTO totalParts AS counted
                        SELECT 0, categoryKey, pg_backend_pid() % 64, sum(entities) FROM (
                            SELECT categoryKey, 1 AS entities FROM added
                            UNION ALL SELECT categoryKey, -1 FROM removed) AS moved
                        GROUP BY categoryKey HAVING sum(entities) <> 0
                        ON CONFLICT (isTotal, categoryKey, part)
                        DO UPDATE SET count = counted.count + excluded.count;
                    GET DIAGNOSTICS changed = ROW_COUNT;
                    IF current_setting('transaction_isolation') <> 'read committed' AND random() * 1000 < changed
                    THEN PERFORM removeEmptyParts(); END IF;
                    RETURN NULL;
                END $$;
                DROP TRIGGER tidy_moved ON entities;
                DROP TRIGGER entities_moved ON entities;
                CREATE TRIGGER entities_moved AFTER UPDATE ON entities
                    REFERENCING OLD TABLE AS removed NEW TABLE AS added
                    FOR EACH STATEMENT EXECUTE FUNCTION countMoved();
                """
        ).backwardCompatible(),
    ]
}
