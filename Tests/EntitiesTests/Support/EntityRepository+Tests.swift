import AtriumTesting

@testable @_spi(Host) import AtriumKit
@testable import Entities

extension RecordRepository<Entity> {
    /// Creates a repository with test doubles for everything but the service.
    convenience init(
        _ service: any RecordService<Entity>, offline: OfflineStore = .none,
        session: TestSession = TestSession(), analytics: any Analytics = RecordingAnalytics(),
        clock: any WallClock = FixedClock(), announced: ObserverList<DataChange> = ObserverList()
    ) {
        self.init(
            service: service, offline: RecordOfflineStore(offline), session: session.writer,
            analytics: analytics, clock: clock,
            announced: announced)
    }
}

extension RecordModel<Entity> {
    convenience init(_ service: any RecordService<Entity>) {
        self.init(repository: EntityRepository(service))
    }
}

extension RecordService<Entity> {
    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> Int {
        try await EntityRepository(self).importAll(from: file, progress: progress)
    }

    func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> Int {
        try await EntityRepository(self).exportAll(to: file, progress: progress)
    }
}

/// Creates a mock; `sleep` performs the delay of scenario slow.
func mockEntityService(
    scenario: MockScenario = MockScenario(), clock: any WallClock, entities: [Entity]? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
) -> SampleRecordService<Entity> {
    SampleRecordService(
        entities ?? MockEntityData.usual, edge: entities ?? MockEntityData.edge,
        behavior: MockBehavior("EntityService", scenario: scenario, clock: clock, sleep: sleep), clock: clock)
}

/// The service of environment live, as the module registers it.
func liveEntityService(
    _ api: any APIClient, scratchParent: String = ScratchFolder.standardParent
) -> ResourceRecordService<Entity> {
    ResourceRecordService(
        api: api, path: "v1/entities", valuePaths: ["category": "v1/categories"], hasFiles: true,
        scratchParent: scratchParent)
}

/// A file that an export may replace.
func replacing(_ path: String) throws -> EntityFile {
    var file = try EntityFile(path)
    file.isReplaced = true
    return file
}
