import AtriumStorage
import AtriumTesting
import LiveTestSupport
import PostgreSQL
import TestSupport

@testable import AtriumKit
@testable import Entities

/// The implementations of the entity service, which must all pass the contract tests.
enum Store: String, CaseIterable, Sendable {
    case mock, local, postgresql, live

    /// Creates an empty service of this kind, which keeps its database or server alive.
    @MainActor
    func make(clock: FixedClock) async throws -> any RecordService<Entity> {
        switch self {
        case .mock: mockEntityService(clock: clock, entities: [])
        case .local: TemporaryEntityService(clock: clock)
        // The contract counts ids without gaps; a run that is undone leaves one.
        case .postgresql: try Self.onPostgreSQL(clock: clock, repeatsWrites: false)
        case .live: try await ServedEntityService()
        }
    }

    @MainActor
    static func onPostgreSQL(clock: FixedClock, repeatsWrites: Bool) throws -> LocalEntityService {
        var limits = Limits()
        limits.repeatsWrites = repeatsWrites
        return LocalEntityService(
            database: try PostgreSQLEngine(limits).database(
                of: unique("Entities"), migrations: EntityQueries.migrations,
                at: try PostgreSQLServer.shared().url),
            clock: clock)
    }
}

/// A local service that keeps its temporary database alive.
struct TemporaryEntityService: WrappedEntityService {
    let storage: TemporaryDatabase
    let service: LocalEntityService

    init(clock: FixedClock) {
        storage = TemporaryDatabase(owner: "Entities", migrations: EntityQueries.migrations)
        service = LocalEntityService(database: storage.database, clock: clock)
    }
}

extension RecordService<Entity> {
    /// The names on a page.
    func names(_ query: EntityQuery) async throws -> [String] {
        try await page(query).rows.map(\.name)
    }

    /// The texts of all entities, in order of their ids.
    func texts() async throws -> [EntityDraft] {
        try await page(EntityQuery(size: 500, sort: .oldest)).rows.map {
            EntityDraft(name: $0.name, category: $0.category, notes: $0.notes)
        }
    }
}
