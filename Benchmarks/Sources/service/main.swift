import AtriumKit
import AtriumStorage
import BenchSupport
import Glibc
import MainQueue
import PostgreSQL

/// Runs the entity service of Plugins/Entities over its database, without screens and without a shell.
///
/// Usage: service DATABASE, which is a file, or the URL of a PostgreSQL database; reads lines
/// `page COUNT SORT PAGE SIZE CATEGORY SEARCH`, `next` with the same words, `create COUNT` and `import COUNT FILE`, with
/// words separated by tabs and `-` for none. The result is wall-clock and processor time in nanoseconds, and the number
/// of rows.
///
/// Calls are made from the main actor, one after the other, as a repository makes them.
struct SystemTime: WallClock {
    func now() -> Timestamp {
        Timestamp(microseconds: Int64(nanoseconds(CLOCK_REALTIME) / 1_000))
    }
}

/// Creates an entity for each row of a CSV file, whose first line names fields; all rows are checked first, as by the
/// repository.
func importFile(_ path: String, into service: any RecordService<Entity>) async throws -> Int {
    try forEachRow(of: path) { _ in }
    return try await service.createAll { add in try forEachRow(of: path, add) }
}

func forEachRow(of path: String, _ body: (Entity) throws -> Void) throws {
    var reader = try CSVReader(path)
    let heading = try reader.next()
    let fields = try (heading?.fields.indices ?? 0..<0).map { index in
        try Entity.fields.field(heading?.text(index) ?? "")
    }
    while let row = try reader.next() {
        var entity = Entity()
        for (index, field) in fields.enumerated() { try field.set(&entity, to: row.text(index) ?? "") }
        try ValidationError.check(entity.validate())
        try body(entity)
    }
}

func query(_ words: [String]) -> RecordQuery<Entity> {
    var query = RecordQuery<Entity>()
    (query.page, query.size) = (Int(words[3])!, Int(words[4])!)
    query.sort = RecordSort(
        field: words[2].hasSuffix("name") ? "name" : "createdAt",
        isDescending: ["-name", "newest"].contains(words[2]))
    query.filters["category"] = words[5] == "-" ? nil : words[5]
    query.search = words[6] == "-" ? nil : words[6]
    return query
}

@MainActor
func answer(_ words: [String], _ service: any RecordService<Entity>) async throws -> String {
    let count = Int(words[1])!
    var rows = 0
    var start = Stopwatch()
    if words[0] == "import" {
        for _ in 0..<count { rows += try await importFile(words[2], into: service) }
    } else if words[0] == "create" {
        let entity = Entity(name: "Bench lamp", category: "Lighting", notes: "Made by the benchmark.")
        for _ in 0..<count { rows += try await service.create(entity).id > 0 ? 1 : 0 }
    } else {
        let query = query(words)
        var before = query
        before.page -= 1
        // The next page of a list whose page before is shown.
        let last = words[0] == "next" ? try await service.page(before).rows.last : nil
        start = Stopwatch()
        for _ in 0..<count { rows += try await service.page(query, after: last).rows.count }
    }
    return "\(start.elapsed) \(rows)"
}

Task { @MainActor in
    let place = CommandLine.arguments[1]
    let database: any ManagedDatabase =
        place.hasPrefix("postgresql:")
        ? try PostgreSQLEngine().database(of: "Entities", migrations: EntityQueries.migrations, at: place)
        : SQLiteDatabase(path: place, owner: "Entities", migrations: EntityQueries.migrations)
    let service: any RecordService<Entity> = LocalEntityService(database: database, clock: SystemTime())
    while let line = readLine() {
        do {
            print(try await answer(line.split(separator: "\t").map(String.init), service))
        } catch {
            print(error)
            exit(1)
        }
        fflush(nil)
    }
    await database.close()
    exit(0)
}
MainQueue.run()
