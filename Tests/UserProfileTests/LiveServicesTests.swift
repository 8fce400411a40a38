import AtriumKit
import AtriumTesting
import TestSupport
import Testing

@testable import UserProfile

@Suite("Live profile services")
struct LiveServicesTests {
    private let clock = FixedClock()
    private static let ada = #"{"firstName":"Ada","lastName":"Lovelace","age":36,"bio":null,"version":3}"#

    private func credential(_ token: String) -> SessionCredential {
        SessionCredential(token: token, expiresAt: clock.now().adding(seconds: 60))
    }

    // MARK: - Profiles

    @Test("A profile is fetched by account; status 404 means that there is none")
    func profile() async throws {
        let api = AnsweringAPIClient { call in
            guard call.contains("u1") else { throw APIError.problem(404, "not-found") }
            return Self.ada
        }
        let service = LiveUserProfileService(api: api)

        let ada = StoredProfile(profile: .ada, version: 3)
        #expect(try await service.profile(ofAccount: "u1") == ada)
        #expect(try await service.profile(ofAccount: "u 2/3") == nil)

        #expect(await api.calls == ["GET v1/users/u1/profile", "GET v1/users/u 2/3/profile"])
    }

    @Test("A batch of profiles returns one outcome per account, in order")
    func batch() async throws {
        let api = AnsweringAPIClient { call in
            if call.contains("u2") { throw APIError.problem(404, "not-found") }
            if call.contains("u3") { throw APIError.offline }
            return Self.ada
        }

        let outcomes = try await LiveUserProfileService(api: api).profiles(ofAccounts: ["u3", "u1", "u2"])

        let error = #expect(throws: ServiceError.self) { try outcomes[0].get() }
        #expect(error?.code == .serviceUnavailable)
        #expect(try outcomes[1].get()?.profile == .ada)
        #expect(try outcomes[2].get() == nil)
        #expect(await api.width == LiveUserProfileService.batchWidth)
    }

    @Test("A submission sends the whole profile and the version that it replaces")
    func submit() async throws {
        let api = ScriptedAPIClient(tokens: .test("a"))
        api.answer("PUT v1/users/:id/profile", #"{"isAccepted":true,"reason":null,"version":4}"#)
        let service = LiveUserProfileService(api: api)

        let first = try await service.submit(.ada, ofAccount: "u1", replacing: .none)
        let second = try await service.submit(.ada, ofAccount: "u1", replacing: 3)

        #expect([first, second] == [.accepted(4), .accepted(4)])
        #expect(api.calls.map(\.body) == Array(repeating: Self.body, count: 2))
        #expect(api.calls.map { $0.call.fields["If-None-Match"] } == ["*", nil])
        #expect(api.calls.map { $0.call.fields["If-Match"] } == [nil, "\"3\""])
    }

    @Test("A version has the tag that the server sent with it, and a submission sends that tag")
    func opaqueTag() throws {
        func stored(_ version: Int?, _ tag: String?) throws -> ProfileVersion {
            let answer = ProfileAnswer(
                firstName: "", lastName: "", age: nil, bio: nil,
                version: version.map { RowCount(wrappedValue: $0) })
            let fields: HTTPFields = tag.map { ["ETag": $0] } ?? [:]
            return try Answered(answer, fields: fields).stored().version
        }
        func sent(_ version: ProfileVersion) -> String? {
            Endpoint.submit(.ada, "u1", replacing: version).call.fields["If-Match"]
        }

        #expect(sent(try stored(3, nil)) == "\"3\"")
        #expect(sent(try stored(3, "\"3\"")) == "\"3\"")
        #expect(sent(try stored(3, "\"a1b2\"")) == "\"a1b2\"")
        #expect(sent(try stored(nil, "W/\"a1b2\"")) == "W/\"a1b2\"")
        #expect(try stored(3, "\"3\"") == 3)
        #expect(throws: APIError.self) { try stored(nil, nil) }
    }

    private static let body = #"{"age":36,"firstName":"Ada","lastName":"Lovelace"}"#

    @Test("A refusal returns its reason; status 412 returns 'outdated'")
    func refusal() async throws {
        let refusing = AnsweringAPIClient { _ in #"{"isAccepted":false,"reason":"No.","version":null}"# }
        let outdated = AnsweringAPIClient { _ in throw APIError.problem(412, "precondition-failed") }

        let receipts = [
            try await LiveUserProfileService(api: refusing).submit(.ada, ofAccount: "u1", replacing: 1),
            try await LiveUserProfileService(api: outdated).submit(.ada, ofAccount: "u1", replacing: 1),
        ]

        #expect(receipts == [.refused("No."), .outdated])
    }

    @Test("An accepted submission without a version is an error")
    func noVersion() async {
        let api = AnsweringAPIClient { _ in #"{"isAccepted":true,"reason":null}"# }

        let error = await #expect(throws: ServiceError.self) {
            try await LiveUserProfileService(api: api).submit(.ada, ofAccount: "u1", replacing: 1)
        }

        #expect(error?.code == .invalidResponse)
        #expect(
            error?.message
                == "The profile could not be submitted: The profile that was accepted has no 'version'.")
    }

    @Test(
        "Server errors become errors of this module with the server's error as cause",
        arguments: [
            (APIError.problem(401, "unauthenticated"), "notAuthenticated", "You are not signed in."),
            (.notAuthenticated("Nobody is signed in."), "notAuthenticated", "You are not signed in."),
            (
                .problem(
                    422, "validation",
                    errors: [
                        .init(field: "age", detail: "The age is odd."),
                        .init(field: "shoe", detail: "The shoe is odd."),
                    ]),
                "validation", "The age is odd. The shoe is odd."
            ),
            (
                .problem(403, "forbidden"), "serverError",
                "The profile could not be submitted: The server says no."
            ),
            (
                .offline, "serviceUnavailable",
                "The profile could not be submitted: The server does not answer."
            ),
        ])
    func errors(_ cause: APIError, _ code: String, _ message: String) async {
        let service = LiveUserProfileService(api: AnsweringAPIClient { _ in throw cause })

        let error = await #expect(throws: (any Error).self) {
            try await service.submit(.ada, ofAccount: "u1", replacing: .none)
        }

        let explained = error as? any ExplainedError
        #expect(explained?.code.rawValue == code)
        #expect(explained?.message == message)
        #expect((explained?.cause as? APIError)?.message == cause.message)
    }

    @Test("A cancellation is thrown unchanged")
    func cancelled() async {
        let service = LiveUserProfileService(api: AnsweringAPIClient { _ in throw CancellationError() })

        await #expect(throws: CancellationError.self) { try await service.submit(.ada, ofAccount: "u1") }
        await #expect(throws: CancellationError.self) { try await service.profile(ofAccount: "u1") }
    }

    // MARK: - Authentication

    @Test(
        "A session is authenticated only if the server accepts its token",
        arguments: [(200, true), (401, false)])
    func authentication(_ status: Int, _ isGood: Bool) async throws {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in
            guard status == 200 else { throw APIError.problem(status, "unauthenticated") }
            return #"{"id":"u1","email":"ada@example.com","displayName":null,"status":"active"}"#
        }
        let service = LiveAuthenticationService(api: api, clock: clock)

        #expect(try await service.isAuthenticated(credential("a")) == isGood)
        #expect(await api.calls == ["GET v1/users/me"])
    }

    @Test("Without a valid session for its tokens, the service sends no request")
    func knownInvalid() async throws {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in "{}" }
        let service = LiveAuthenticationService(api: api, clock: clock)

        #expect(try await !service.isAuthenticated(nil))
        #expect(try await !service.isAuthenticated(credential("b")))
        #expect(
            try await !service.isAuthenticated(SessionCredential(token: "a", expiresAt: clock.now())))

        #expect(await api.calls.isEmpty)
    }

    @Test("Checking a session fails if the server is unreachable")
    func offline() async {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in throw APIError.offline }
        let service = LiveAuthenticationService(api: api, clock: clock)

        let error = await #expect(throws: ServiceError.self) {
            try await service.isAuthenticated(credential("a"))
        }

        #expect(error?.code == .serviceUnavailable)
    }

    // MARK: - Notifications

    @Test("A notification is sent with an idempotency key")
    func send() async throws {
        let api = AnsweringAPIClient { _ in
            #"{"id":1,"kind":"profileUpdated","createdAt":"2026-01-01T00:00:00Z"}"#
        }

        try await LiveNotificationService(api: api).send(.profileUpdated, toAccount: "u1")

        #expect(
            await api.calls == [#"POST v1/users/u1/notifications {"kind":"profileUpdated"} with key"#])
    }

    @Test("Notifications are listed without those of an unknown kind")
    func notifications() async throws {
        let api = AnsweringAPIClient { _ in
            """
            {"rows":[{"id":2,"kind":"birthday","createdAt":"2026-01-01T00:00:01Z"},\
            {"id":1,"kind":"profileUpdated","createdAt":"2026-01-01T00:00:00Z"}]}
            """
        }

        let notifications = try await LiveNotificationService(api: api)
            .notifications(ofAccount: "u1", limit: 7)

        #expect(notifications == [Notification(id: 1, kind: .profileUpdated, createdAt: clock.now())])
        #expect(await api.calls == ["GET v1/users/u1/notifications?limit=7"])
    }

    @Test("The error for an invalid time names its member")
    func badTime() async {
        let api = AnsweringAPIClient { _ in
            #"{"rows":[{"id":1,"kind":"profileUpdated","createdAt":"now"}]}"#
        }

        let error = await #expect(throws: ServiceError.self) {
            try await LiveNotificationService(api: api).notifications(ofAccount: "u1", limit: 7)
        }

        #expect(error?.code == .invalidResponse)
        #expect(error?.message.hasPrefix("The notifications could not be read: ") == true)
        #expect(error?.message.contains("createdAt") == true)
    }

    // MARK: - Directory

    @Test("A query is sent to the server, and its page is returned")
    func users() async throws {
        let api = AnsweringAPIClient { _ in
            """
            {"rows":[{"id":"u1","email":"ada@example.com","displayName":null,"status":"active"},\
            {"id":"u2","email":"b@example.com","displayName":"Bob","status":"gone"}],\
            "total":41,"page":2,"size":20}
            """
        }
        let service = LiveUserDirectory(api: api)

        let page = try await service.page(
            RecordQuery(search: "ex", status: .active, isDescending: true, page: 2))
        _ = try await service.page(RecordQuery())

        #expect(page.rows.map(\.name) == ["ada@example.com", "Bob"])
        #expect(page.rows.map(\.status) == [.active, .inactive])
        #expect(page.total == 41)
        #expect(
            await api.calls == [
                "GET v1/users?page=2&size=20&search=ex&status=active&sort=-name",
                "GET v1/users?page=1&size=20&sort=name",
            ])
    }

    @Test("The error for an unknown user names the id")
    func unknownUser() async {
        let api = AnsweringAPIClient { _ in throw APIError.problem(404, "not-found") }

        let error = await #expect(throws: ServiceError.self) {
            try await LiveUserDirectory(api: api).record("u9")
        }

        #expect(error?.code == .notFound)
        #expect(error?.message == "There is no user 'u9'.")
    }
}
