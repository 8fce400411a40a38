import AtriumKit
import AtriumTesting

@testable import Entities

extension EntityRepository {
    /// Creates a repository with test doubles for everything but the service.
    convenience init(
        _ service: any EntityService, offline: any EntityOfflineStore = OfflineStore.none,
        session: TestSession = TestSession(), analytics: any Analytics = RecordingAnalytics(),
        clock: any WallClock = FixedClock()
    ) {
        self.init(
            service: service, offline: offline, session: session.writer, analytics: analytics, clock: clock)
    }
}

extension EntityModel {
    convenience init(_ service: any EntityService) {
        self.init(repository: EntityRepository(service))
    }
}
