@_spi(Host) import AtriumKit
import AtriumTesting
import TestSupport
import Testing

@testable import Session

@MainActor
@Suite("Checking the stored session at the start", .serialized, .sharedSession, .timeLimit(.minutes(5)))
struct StartCheckTests {
    private let bob = SessionUser(id: "b", email: "bob@example.com")
    private let service = HeldSessionService()
    private let module = SessionModule()
    private let container: Container
    private let scope = ModuleScope(
        name: "Session",
        infrastructure: .init(
            database: UnusedDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
            analytics: RecordingAnalytics(), configuration: Configuration([:])))

    init() throws {
        let registry = ModuleRegistry(scope: scope)
        try module.register(in: registry)
        let base = Container(environment: .local)
        try base.add(registry)
        container = Container(parent: base)
        let service = service
        try container.override((any SessionService).self) { service }
        SessionWriter(.shared).signIn(
            bob, credential: SessionCredential(token: "t", expiresAt: FixedClock().now().adding(seconds: 60)))
    }

    private func start() async throws {
        try await module.activate(ActivationContext(container, for: scope))
    }

    @Test(
        "A slow check delays the start for a time only, and is applied when it ends",
        arguments: [true, false])
    func slow(_ isGood: Bool) async throws {
        defer { SessionManager.shared.restore(nil) }

        try await start()

        #expect(SessionManager.shared.user == bob)
        #expect(scope.tasks.names == ["session check"])
        await service.question()
        await service.answer(isGood)
        await scope.tasks.finish()
        #expect(SessionManager.shared.user == (isGood ? bob : nil))
    }

    @Test("A quick check is applied before the start continues")
    func quick() async throws {
        defer { SessionManager.shared.restore(nil) }
        let start = Task { try await self.start() }
        await service.question()

        await service.answer(false)
        try await start.value

        #expect(SessionManager.shared.user == nil)
        #expect(scope.tasks.names == [])
    }
}
