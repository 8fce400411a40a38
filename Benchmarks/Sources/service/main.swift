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

@MainActor
func answer(_ words: [String], _ service: any EntityService) async throws -> String {
    let count = Int(words[1])!
    var rows = 0
    var start = Stopwatch()
    if words[0] == "import" {
        let file = try EntityFile(words[2])
        for _ in 0..<count { rows += try await service.importEntities(from: file) { _ in } }
    } else if words[0] == "create" {
        let draft = EntityDraft(name: "Bench lamp", category: "Lighting", notes: "Made by the benchmark.")
        for _ in 0..<count { rows += try await service.create(draft).id > 0 ? 1 : 0 }
    } else {
        let query = EntityQuery(
            page: Int(words[3])!, size: Int(words[4])!, sort: EntitySort(rawValue: words[2])!,
            category: words[5] == "-" ? nil : words[5], search: words[6] == "-" ? nil : words[6])
        // The next page of a list whose page before is shown.
        let last = words[0] == "next" ? try await service.page(query.onPage(query.page - 1)).rows.last : nil
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
    let service: any EntityService = LocalEntityService(database: database, clock: SystemTime())
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
