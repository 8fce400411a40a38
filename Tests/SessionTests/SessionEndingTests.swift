@_spi(Host) import AtriumKit
import AtriumTesting
import TestSupport
import Testing

@testable import Session

@MainActor
@Suite("Session repository: sessions that end")
struct SessionEndingTests {
    private let clock = FixedClock()
    private let analytics = RecordingAnalytics()
    private let log = RecordingLog()
    private let bob = SessionUser(id: "b", email: "bob@example.com")

    private func repository(_ service: some SessionService, _ session: TestSession) -> SessionRepository {
        SessionRepository(
            service: service, session: session.writer, clock: clock, analytics: analytics, logger: log.logger)
    }

    @Test("A session that the service ends is ended once, with a reason")
    func refused() async throws {
        let session = TestSession(bob)
        let service = ScriptedSessionService(
            events: [.ended(token: "test-token"), .ended(token: "test-token")])
        let repository = repository(service, session)
        let viewModel = SessionViewModel(repository: repository, session: session.state)

        await repository.follow(try #require(await service.events()))

        #expect(session.writer.user == nil)
        #expect(viewModel.ending == .refused)
        #expect(analytics.events == [AnalyticsEvent("sessionEnded", ["reason": "refused"])])
        #expect(log.messages == ["warning: The server has ended the session; nobody is signed in."])
        let view = SessionView(viewModel: viewModel)
        try await view.load()
        #expect(JSONValue.object(view.body.json).serialized.contains("Your session was ended by the server."))
        try await view.load()
        #expect(JSONValue.object(view.body.json).serialized.contains("Nobody is signed in."))
    }

    @Test("An end that the check at the start notices first has the same reason")
    func refusedAtStart() async throws {
        let session = TestSession(bob)
        let service = ScriptedSessionService(
            validity: .success(false), events: [.ended(token: "test-token")], hasServer: true)
        let repository = repository(service, session)
        let events = try #require(await repository.serviceEvents())

        await repository.verifyStoredSession()
        await repository.follow(events)

        #expect(session.writer.user == nil && repository.unreportedEnding == .refused)
        #expect(analytics.events == [AnalyticsEvent("sessionEnded", ["reason": "refused"])])
        #expect(log.messages == ["warning: The server has ended the session; nobody is signed in."])
        #expect(await service.forgotten == 1)
    }

    @Test("What is heard of an end while this process signs out is no news", arguments: [false, true])
    func ownEnd(isEverywhere: Bool) async throws {
        let (session, changes) = (TestSession(bob), ObserverList<DataChange>())
        var whileSigningOut: () async -> Void = {}
        let service = ScriptedSessionService(validity: .success(false)) { await whileSigningOut() }
        let repository = SessionRepository(
            service: service, session: session.writer, clock: clock, analytics: analytics, logger: log.logger,
            changes: changes)
        whileSigningOut = {
            changes.send(DataChange(keys: nil, isOwn: false))
            await eventually("the session is asked about") {
                await service.calls.last == "isValid test-token"
            }
            await repository.follow(
                AsyncStream {
                    $0.yield(.ended(token: "test-token"))
                    $0.finish()
                })
        }

        try await repository.signOut(everywhere: isEverywhere)

        #expect(session.writer.user == nil && repository.unreportedEnding == nil)
        #expect(analytics.events == [AnalyticsEvent(isEverywhere ? "signedOutEverywhere" : "signedOut")])
        #expect(log.messages.isEmpty)
    }

    @Test("A screen that is shown during a check waits for that check", arguments: [true, false])
    func shownDuringCheck(_ isGood: Bool) async {
        let (session, changes) = (TestSession(bob), ObserverList<DataChange>())
        let service = HeldSessionService()
        let repository = SessionRepository(
            service: service, session: session.writer, clock: clock, analytics: analytics, logger: log.logger,
            changes: changes)
        changes.send(DataChange(keys: nil, isOwn: false))
        await service.question()

        let shown = Task.immediate { await repository.takeEnding() }
        await service.answer(isGood)
        let ending = await shown.value

        #expect(await service.questionCount == 1)
        #expect(session.writer.user == (isGood ? bob : nil))
        #expect(ending == (isGood ? nil : .elsewhere))
        #expect(repository.unreportedEnding == nil)
    }

    @Test("A screen that is shown after a second change waits for the check of that one, too")
    func shownAfterSecondChange() async {
        let (session, changes) = (TestSession(bob), ObserverList<DataChange>())
        let service = HeldSessionService()
        let repository = SessionRepository(
            service: service, session: session.writer, clock: clock, analytics: analytics, logger: log.logger,
            changes: changes)
        changes.send(DataChange(keys: nil, isOwn: false))
        await service.question()
        changes.send(DataChange(keys: nil, isOwn: false))

        let shown = Task.immediate { await repository.takeEnding() }
        await service.answer(true)
        await service.question()
        await service.answer(false)
        let ending = await shown.value

        #expect(ending == .elsewhere)
        #expect(await service.questionCount == 2)
        #expect(session.writer.user == nil)
    }

    @Test("The end of another session is ignored")
    func another() async throws {
        let session = TestSession(bob)
        let service = ScriptedSessionService(events: [.ended(token: "other")])

        await repository(service, session).follow(try #require(await service.events()))

        #expect(session.writer.user == bob)
        #expect(analytics.events.isEmpty)
    }

    @Test("A renewal extends its own session and never shortens it")
    func renewed() async throws {
        let session = TestSession(bob)
        let present = try #require(session.writer.credential)
        let later = SessionCredential(token: "test-token", expiresAt: present.expiresAt.adding(seconds: 60))
        let events: [SessionEvent] = [
            .renewed(later), .renewed(present),
            .renewed(SessionCredential(token: "other", expiresAt: later.expiresAt.adding(seconds: 60))),
        ]
        let service = ScriptedSessionService(events: events)

        await repository(service, session).follow(try #require(await service.events()))

        #expect(session.writer.credential == later)
        #expect(session.writer.user == bob)
    }

    @Test("The mock service reports the end of a session that it refuses")
    func mock() async throws {
        let session = TestSession()
        let service = MockSessionService(.test(), clock: clock)
        let repository = repository(service, session)
        try await repository.signIn(Credentials(email: "ada@example.com", password: "difference engine"))
        let token = try #require(session.writer.credential?.token)
        let events = try #require(await service.events())

        await service.refuse(token)

        var first: SessionEvent?
        for await event in events {
            first = event
            break
        }
        #expect(first == .ended(token: token))
        #expect(try await !service.isValid(try #require(session.writer.credential)))
    }

    @Test("Signing out everywhere ends the session only if the service succeeds", arguments: [true, false])
    func everywhere(_ succeeds: Bool) async {
        let session = TestSession(bob)
        let service = ScriptedSessionService(signOutError: succeeds ? nil : ServiceError.unavailable)
        let repository = repository(service, session)

        if succeeds {
            await #expect(throws: Never.self) { try await repository.signOut(everywhere: true) }
        } else {
            await #expect(throws: ServiceError.unavailable) { try await repository.signOut(everywhere: true) }
        }

        #expect(await service.calls == ["signOutEverywhere test-token"])
        #expect(session.writer.user == (succeeds ? nil : bob))
        #expect(analytics.events == (succeeds ? [AnalyticsEvent("signedOutEverywhere")] : []))
    }

    @Test("Resetting removes the session without a request")
    func reset() async throws {
        let session = TestSession(bob)
        let service = ScriptedSessionService()

        try await repository(service, session).reset()

        #expect(session.writer.user == nil)
        #expect(session.writer.credential == nil)
        #expect(await service.calls.isEmpty)
        #expect(await service.forgotten == 1)
    }

    @Test("A failed reset keeps the session")
    func failedReset() async {
        let session = TestSession(bob)
        let service = ScriptedSessionService(forgetError: ServiceError.unavailable)

        await #expect(throws: ServiceError.unavailable) { try await repository(service, session).reset() }

        #expect(session.writer.user == bob)
    }

    @Test("At the start, the service forgets its tokens unless the stored session is valid or unchecked")
    func leftover() async {
        let guest = ScriptedSessionService()
        await repository(guest, TestSession()).verifyStoredSession()
        #expect(await guest.forgotten == 1)

        let refused = ScriptedSessionService(validity: .success(false))
        await repository(refused, TestSession(bob)).verifyStoredSession()
        #expect(await refused.forgotten == 1)

        let good = ScriptedSessionService()
        await repository(good, TestSession(bob)).verifyStoredSession()
        #expect(await good.forgotten == 0)

        let unknown = ScriptedSessionService(validity: .failure(ServiceError.unavailable))
        await repository(unknown, TestSession(bob)).verifyStoredSession()
        #expect(await unknown.forgotten == 0)
    }

    @Test("A guest can't list or end sessions")
    func guest() async {
        let service = ScriptedSessionService()
        let repository = repository(service, TestSession())

        await #expect(throws: ServiceError.notAuthenticated) { try await repository.sessions() }
        await #expect(throws: ServiceError.notAuthenticated) {
            try await repository.signOut(everywhere: true)
        }
        #expect(await service.calls.isEmpty)
    }

    @Test("The screen lists sessions and observers, and asks before ending or resetting sessions")
    func screen() async throws {
        let session = TestSession()
        let repository = repository(MockSessionService(.test(), clock: clock), session)
        let view = SessionView(viewModel: SessionViewModel(repository: repository, session: session.state))
        let credentials = Credentials(email: "ada@example.com", password: "difference engine")
        try await repository.signIn(credentials)
        let observer = CountedObserver()
        session.state.observe(observer) { observer, _ in observer.count += 1 }

        func json(_ name: String) async throws -> String {
            let action = try #require(view.actions.first { $0.name == name })
            let result = try await action.perform(ArgumentValues())
            guard case .content(let content) = result.presentation else { return "no content" }
            return JSONValue.object(content.json).serialized
        }
        #expect(
            try await json("sessions") == """
                {"title":"Sessions","rows":[{"id":"mock-token-1","createdAt":"2026-01-01T00:00:00Z",\
                "lastUsedAt":"2026-01-01T00:00:00Z","isCurrent":true}]}
                """)
        #expect(
            try await json("observers") == """
                {"title":"Observers","rows":[{"observer":"CountedObserver"}]}
                """)
        #expect(view.actions.filter { $0.question != nil }.map(\.name) == ["sign-out-everywhere", "reset"])
        withExtendedLifetime(observer) {}
    }
}

private final class CountedObserver {
    var count = 0
}

@Suite("Remaining time")
struct RemainingTimeTests {
    @Test(
        "The unit is the largest one whose rounded count is at least 2",
        arguments: [
            (-5, "now"), (0, "now"), (1, "in 1 second"), (60, "in 60 seconds"), (89, "in 89 seconds"),
            (90, "in 2 minutes"), (3_600, "in 60 minutes"), (5_400, "in 2 hours"), (86_400, "in 24 hours"),
            (129_600, "in 2 days"), (2_591_999, "in 30 days"), (2_592_000, "in 30 days"),
        ])
    func words(_ seconds: Int, _ text: String) {
        #expect(RemainingTime.text(seconds) == text)
    }
}
