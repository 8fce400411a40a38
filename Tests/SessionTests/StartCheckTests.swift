@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import Session

@MainActor
@Suite("The check of a stored session at a start", .timeLimit(.minutes(5)))
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
        "A slow answer holds a start up for half a second, and counts when it comes",
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

    @Test("An answer in time is waited for, and stops the clock")
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
