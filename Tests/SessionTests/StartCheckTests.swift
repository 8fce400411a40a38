@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import Session

@MainActor
@Suite("Checking the stored session at the start", .timeLimit(.minutes(5)))
struct StartCheckTests {
    private let bob = SessionUser(id: "b", email: "bob@example.com")
    private let session: TestSession
    private let service = HeldSessionService()
    private let patience = TestPatience()
    private let repository: SessionRepository
    private let container = Container(environment: .live)
    private let scope = ModuleScope(
        name: "Session",
        infrastructure: .init(
            database: UnusedDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
            analytics: RecordingAnalytics(), configuration: Configuration([:])))

    init() {
        session = TestSession(bob)
        repository = SessionRepository(
            service: service, session: session.writer, clock: FixedClock(), analytics: RecordingAnalytics(),
            logger: RecordingLog().logger)
    }

    private func start() async {
        var check = StartCheck()
        check.sleep = patience.sleep
        let repository = repository
        await check.run(in: ActivationContext(container, for: scope)) {
            await repository.verifyStoredSession()
        }
    }

    @Test(
        "A slow check delays the start by half a second at most and is applied when it ends",
        arguments: [true, false])
    func slow(_ isGood: Bool) async {
        let start = Task { await self.start() }
        await service.question()
        let limit = await patience.limit()

        patience.end()
        await start.value

        #expect(limit == .milliseconds(500))
        #expect(session.writer.user == bob)
        #expect(scope.tasks.names == ["session check"])
        await service.answer(isGood)
        await scope.tasks.finish()
        #expect(session.writer.user == (isGood ? bob : nil))
    }

    @Test("A quick check is applied before the start continues, and its timer is cancelled")
    func quick() async {
        let start = Task { await self.start() }
        await service.question()

        await service.answer(false)
        await start.value

        #expect(session.writer.user == nil)
        #expect(scope.tasks.names == [])
        await patience.cancellation()
    }
}
