import AtriumKit
import AtriumTesting

@testable import Entities

extension EntityRepository {
    /// A repository over a service, with whatever else it needs.
    convenience init(
        _ service: any EntityService, copies: any EntityCopyService = NoEntityCopy(),
        session: TestSession = TestSession(), analytics: any Analytics = RecordingAnalytics(),
        clock: any WallClock = FixedClock(), log: RecordingLog = RecordingLog()
    ) {
        self.init(
            service: service, copies: copies, session: session.writer, analytics: analytics, clock: clock,
            logger: log.logger)
    }
}

extension EntityModel {
    convenience init(_ service: any EntityService) {
        self.init(repository: EntityRepository(service))
    }
}
