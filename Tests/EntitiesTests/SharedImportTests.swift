import AtriumTesting
import Dispatch
import LiveTestSupport
import PostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import AtriumKit
@testable import Entities

/// Imports into a database that other hosts use meanwhile.
@Suite("An import beside other hosts", .timeLimit(.minutes(2)))
struct SharedImportTests {
    @Test("Entities that others create, and totals that they read, do not conflict with it")
    func besideOthers() async throws {
        let name = unique("Entities")
        let (importing, other) = (try service(name, attempts: 1), try service(name))
        _ = try await other.create(EntityDraft(name: "Before"))
        let folder = TemporaryFolder()
        let text = "name\n" + (1...2_500).map { "Row \($0)\n" }.joined()
        let file = try EntityFile(folder.write(text.utf8, to: "a.csv"))
        let outcome = Outcome()

        let imported = try await importing.importEntities(from: file) { rows in
            guard rows == 1_000 else { return }
            // The import waits on its thread until the other host is done.
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                do {
                    _ = try await other.create(EntityDraft(name: "Meanwhile"))
                    let total = try await other.page(EntityQuery()).total
                    outcome.result.withLock { $0 = .success(total) }
                } catch { outcome.result.withLock { $0 = .failure(error) } }
                done.signal()
            }
            done.wait()
        }

        #expect(try outcome.result.withLock { try $0?.get() } == 2)
        #expect(imported == 2_500)
        #expect(try await other.page(EntityQuery()).total == 2_502)
    }

    /// The service of a host, with connections of its own.
    private func service(_ name: String, attempts: Int = 20) throws -> LocalEntityService {
        var limits = Limits()
        limits.attempts = attempts
        #if DEBUG
            limits.repeatsWrites = false
        #endif
        return LocalEntityService(
            database: try PostgreSQLEngine(limits).database(
                of: name, migrations: EntityQueries.migrations, at: try PostgreSQLServer.shared().url),
            clock: FixedClock())
    }
}

private final class Outcome: Sendable {
    let result = Mutex<Result<Int, any Error>?>(nil)
}
