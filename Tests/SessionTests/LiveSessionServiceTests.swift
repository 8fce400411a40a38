@_spi(Host) import AtriumKit
import AtriumTesting
import TestSupport
import Testing

@testable import Session

@Suite("Live session service")
struct LiveSessionServiceTests {
    private let clock = FixedClock()
    private let credentials = Credentials(email: "ada@example.com", password: "difference engine")
    private static let ada = #"{"id":"u1","email":"ada@example.com","displayName":"Ada Lovelace"}"#

    private func service(_ api: AnsweringAPIClient) -> LiveSessionService {
        LiveSessionService(api: api, clock: clock)
    }

    private func credential(_ token: String) -> SessionCredential {
        SessionCredential(token: token, expiresAt: clock.now().adding(seconds: 60))
    }

    // MARK: - Signing in

    @Test("Signing in obtains tokens, fetches their user, then uses them")
    func signIn() async throws {
        let api = AnsweringAPIClient { _ in Self.ada }
        await api.set { $0.grant = .success(.test("new")) }

        let grant = try await service(api).signIn(credentials)

        #expect(await api.calls == ["obtain tokens", "GET v1/users/me as new", "use new"])
        #expect(
            grant.user == SessionUser(id: "u1", email: "ada@example.com", displayName: "Ada Lovelace"))
        #expect(grant.credential.token == "new")
        #expect(grant.credential.expiresAt == Timestamp(microseconds: 1_769_817_600_000_000))
    }

    @Test("An empty display name is nil; a session may have no expiry")
    func defaults() async throws {
        let api = AnsweringAPIClient { _ in #"{"id":"u1","email":"ada@example.com","displayName":""}"# }
        await api.set { $0.grant = .success(.test("new", refreshExpiresAt: nil)) }

        let grant = try await service(api).signIn(credentials)

        #expect(grant.user.displayName == nil)
        #expect(!grant.credential.hasExpiry, "The server does not say when the sign-in ends.")
    }

    @Test("A sign-in that fails after obtaining tokens revokes them and keeps the former ones")
    func halfWay() async throws {
        let api = AnsweringAPIClient(tokens: .test("old")) { _ in throw APIError.offline }
        await api.set { $0.grant = .success(.test("new")) }

        let error = await #expect(throws: ServiceError.self) { try await service(api).signIn(credentials) }

        #expect(error?.code == .serviceUnavailable)
        #expect(await api.tokens?.id == "old")
        #expect(await api.revoked == ["new"])
    }

    @Test("Tokens that can't be stored are revoked, even if the caller was cancelled")
    func unstorable() async {
        let api = AnsweringAPIClient { _ in Self.ada }
        await api.set {
            $0.grant = .success(.test("new"))
            $0.useError = CancellationError()
        }

        await #expect(throws: CancellationError.self) { try await service(api).signIn(credentials) }

        #expect(await api.tokens == nil)
        #expect(await api.revoked == ["new"])
    }

    @Test("Signing up creates the account without tokens, then signs in")
    func signUp() async throws {
        let api = AnsweringAPIClient(tokens: .test("old")) { _ in Self.ada }
        await api.set { $0.grant = .success(.test("new")) }

        _ = try await service(api).signUp(credentials)

        #expect(
            await api.calls == [
                """
                POST v1/users as nobody {"email":"ada@example.com","password":"difference engine"}
                """,
                "obtain tokens", "GET v1/users/me as new", "use new",
            ])
    }

    @Test("If the account was created but the sign-in failed, the error says so")
    func unfinishedSignUp() async {
        let api = AnsweringAPIClient { _ in Self.ada }
        await api.set { $0.grant = .failure(APIError.offline) }

        let error = await #expect(throws: ServiceError.self) { try await service(api).signUp(credentials) }

        #expect(error?.code == "signUpUnfinished")
        #expect(
            error?.message
                == "The account for 'ada@example.com' was created, but you could not be signed in.")
        #expect(error?.hint == "session sign-in --email ada@example.com")
        #expect((error?.cause as? ServiceError)?.code == "serviceUnavailable")
    }

    // MARK: - Errors

    @Test("A sign-up and a sign-out everywhere whose answer was lost are told as unknown")
    func lostAnswer() async throws {
        let lost = APIError(.connectionLost, "POST v1/users failed.")
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in throw lost }
        let service = service(api)

        let signUp = await #expect(throws: ServiceError.self) { try await service.signUp(credentials) }
        let signOut = await #expect(throws: ServiceError.self) {
            try await service.signOutEverywhere(credential("a"))
        }

        #expect(signUp?.code == .unknownOutcome && signOut?.code == .unknownOutcome)
        #expect(
            signUp?.message
                == "It is not known whether the account was created: the server's answer was lost.")
        #expect(signUp?.hint == "session sign-in --email ada@example.com")
        #expect(
            signOut?.message
                == "It is not known whether your sessions were ended: the server's answer was lost."
        )
        #expect(await api.tokens?.id == "a")
    }

    @Test(
        "Server errors become session errors with the server's error as cause",
        arguments: [
            (
                APIError.problem(409, "email-taken"), "emailTaken",
                "There is an account for 'ada@example.com' already."
            ),
            (
                APIError.problem(
                    422, "validation", errors: [.init(field: "email", detail: "The email is odd.")]),
                "validation", "The email is odd."
            ),
            (
                .offline, "serviceUnavailable",
                "The account could not be created: The server does not answer."
            ),
            (
                .problem(500, "internal"), "unknownOutcome",
                "It is not known whether the account was created: the server's answer does not say."
            ),
        ])
    func errors(_ cause: APIError, _ code: String, _ message: String) async {
        let api = AnsweringAPIClient { _ in throw cause }

        let error = await #expect(throws: (any Error).self) { try await service(api).signUp(credentials) }

        let explained = error as? any ExplainedError
        #expect(explained?.code.rawValue == code)
        #expect(explained?.message == message)
        #expect((explained?.cause as? APIError)?.message == cause.message)
        #expect(explained?.category == (code == "validation" ? .validation : .failure))
    }

    @Test("A refused grant becomes 'invalid credentials'")
    func wrongCredentials() async {
        let api = AnsweringAPIClient { _ in Self.ada }
        let refusal = APIError(.invalidGrant, "No.")
        await api.set { $0.grant = .failure(refusal) }

        let error = await #expect(throws: ServiceError.self) { try await service(api).signIn(credentials) }

        #expect(error == .invalidCredentials)
        #expect((error?.cause as? APIError)?.code == .invalidGrant)
    }

    @Test("A refusal of the host, by its client or its key, does not ask the user to sign in")
    func hostRefused() async {
        let message = "It was answered with status 401."
        let refusal = APIError.serverError(code: 401, message: message, status: 401)
        let api = AnsweringAPIClient { _ in throw refusal }
        await api.set { $0.grant = .failure(refusal) }

        let signIn = await #expect(throws: ServiceError.self) { try await service(api).signIn(credentials) }
        let signUp = await #expect(throws: ServiceError.self) { try await service(api).signUp(credentials) }

        #expect(signIn?.message == "You could not be signed in: \(message)")
        #expect(signUp?.message == "The account could not be created: \(message)")
        #expect(signIn?.hint == "api" && signUp?.hint == "api")
    }

    // MARK: - Signing out

    @Test("Signing out revokes the tokens, then removes them")
    func signOut() async throws {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in "{}" }

        try await service(api).signOut(credential("a"))

        #expect(await api.calls == ["revoke a", "use none"])
    }

    @Test("A sign-out that does not reach the server keeps the tokens")
    func unheardSignOut() async {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in "{}" }
        await api.set { $0.revokeError = APIError.offline }

        let error = await #expect(throws: ServiceError.self) {
            try await service(api).signOut(credential("a"))
        }

        #expect(error?.code == .serviceUnavailable && error?.hint == "make server")
        #expect(await api.tokens?.id == "a")
    }

    @Test(
        "A sign-out whose answer was lost is told as not known",
        arguments: [APIError(.connectionLost, "lost"), CancellationError()] as [any Error])
    func unansweredSignOut(_ failure: any Error) async {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in "{}" }
        await api.set { $0.revokeError = failure }

        let error = await #expect(throws: ServiceError.self) {
            try await service(api).signOut(credential("a"))
        }

        #expect(error?.code == .unknownOutcome && error?.hint == "session sign-out")
        #expect(error?.message.hasPrefix("It is not known whether your session was ended: ") == true)
        #expect(await api.tokens?.id == "a")
    }

    @Test("Signing out of an unknown session does nothing")
    func unknownSignOut() async throws {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in "{}" }

        try await service(api).signOut(credential("b"))

        #expect(await api.calls.isEmpty)
        #expect(await api.tokens?.id == "a")
    }

    @Test("Tokens replaced by a sign-in are revoked once, when their session is signed out")
    func replaced() async throws {
        let api = AnsweringAPIClient(tokens: .test("old")) { _ in Self.ada }
        await api.set { $0.grant = .success(.test("new")) }
        let service = service(api)
        _ = try await service.signIn(credentials)

        try await service.signOut(credential("old"))
        try await service.signOut(credential("old"))

        #expect(await api.revoked == ["old"])
        #expect(await api.tokens?.id == "new")
    }

    @Test("Signing out everywhere calls the server, then removes the tokens")
    func everywhere() async throws {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in "{}" }

        try await service(api).signOutEverywhere(credential("a"))

        #expect(await api.calls == ["DELETE v1/users/me/sessions", "use none"])
    }

    @Test("Forgetting removes stored tokens without a request", arguments: [true, false])
    func forget(_ hasTokens: Bool) async throws {
        let api = AnsweringAPIClient(tokens: hasTokens ? .test("a") : nil) { _ in "{}" }

        try await service(api).forget()

        #expect(await api.calls == (hasTokens ? ["use none"] : []))
    }

    // MARK: - Checking a session

    @Test(
        "A session is valid only if the server accepts its token",
        arguments: [(200, true), (401, false)])
    func validity(_ status: Int, _ isGood: Bool) async throws {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in
            guard status == 200 else { throw APIError.problem(status, "unauthenticated") }
            return Self.ada
        }

        #expect(try await service(api).isValid(credential("a")) == isGood)
        #expect(await api.calls == ["GET v1/users/me"])
    }

    @Test("Unknown tokens and expired sessions are invalid without a request")
    func knownInvalid() async throws {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in Self.ada }
        let service = service(api)

        #expect(try await !service.isValid(credential("b")))
        #expect(try await !service.isValid(SessionCredential(token: "a", expiresAt: clock.now())))

        #expect(await api.calls.isEmpty)
    }

    @Test("Checking a session fails if the server is unreachable")
    func offline() async {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in throw APIError.offline }

        let error = await #expect(throws: ServiceError.self) {
            try await service(api).isValid(credential("a"))
        }

        #expect(error?.code == "serviceUnavailable")
        #expect(error?.message == "Your session could not be checked: The server does not answer.")
    }

    @Test("Sessions are listed as the server returns them")
    func sessions() async throws {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in
            """
            {"rows":[{"id":"s2","createdAt":"2026-01-01T00:00:00.000001Z",\
            "lastUsedAt":"2026-01-01T00:01:00Z","isCurrent":true}]}
            """
        }

        let records = try await service(api).sessions(credential("a"))

        #expect(
            records == [
                SessionRecord(
                    id: "s2", createdAt: Timestamp(microseconds: clock.now().microseconds + 1),
                    lastUsedAt: clock.now().adding(seconds: 60), isCurrent: true)
            ])
    }

    @Test("The error for an invalid time names its member")
    func badTime() async {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in
            #"{"rows":[{"id":"s","createdAt":"yesterday","lastUsedAt":"","isCurrent":true}]}"#
        }

        let error = await #expect(throws: ServiceError.self) {
            try await service(api).sessions(credential("a"))
        }

        #expect(error?.code == .invalidResponse)
        #expect(error?.message.hasPrefix("Your sessions could not be listed: ") == true)
        #expect(error?.message.contains("createdAt") == true)
    }

    // MARK: - Events

    @Test("Token events become session events: renewed or ended")
    func events() async throws {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in "{}" }
        let events = try #require(await service(api).events())

        await api.tell(.refreshed)
        await api.tell(.ended(id: "a"))
        await api.finishEvents()

        var seen: [SessionEvent] = []
        for await event in events { seen.append(event) }
        let end = Timestamp(microseconds: 1_769_817_600_000_000)
        #expect(
            seen == [.renewed(SessionCredential(token: "a", expiresAt: end)), .ended(token: "a")])
    }
}
