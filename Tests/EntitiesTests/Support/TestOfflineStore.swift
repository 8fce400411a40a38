import AtriumTesting
import TestSupport

@testable import AtriumKit
@testable import Entities

/// An offline store in a temporary database, which is deleted with it.
final class TestOfflineStore: Sendable {
    let storage = TemporaryDatabase(owner: "Entities", migrations: EntityQueries.migrations)
    let store: OfflineStore

    init(clock: FixedClock = FixedClock()) {
        store = OfflineStore(
            database: storage.database, server: "http://test", clock: clock,
            logger: RecordingLog().logger)
    }
}
