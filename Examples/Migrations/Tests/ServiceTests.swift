import AtriumKit
import AtriumTesting
import Testing

@testable import ServiceAfter

@Suite("Migration 2: a repository over the API client gets a service") @MainActor
struct ServiceTests {
    private let ada = Member(firstName: "Ada", lastName: "Lovelace", age: 36)

    @Test("The service alone: two requests, and their answers as a member")
    func service() async throws {
        let api = ScriptedAPIClient(tokens: AccessTokens(id: "7", accessToken: "token"))
        api.answer("GET v1/users/me", #"{"id": "7"}"#)
        api.answer("GET v1/users/:id/profile", #"{"firstName": "Ada", "lastName": "Lovelace", "age": 36}"#)

        let member = try await LiveMemberService(api: api).member()

        #expect(member == ada)
        #expect(api.calls.map(\.description) == ["GET v1/users/me", "GET v1/users/7/profile"])
    }

    @Test("The service alone: what the server refuses is an error with its reason")
    func refused() async throws {
        let api = ScriptedAPIClient(tokens: AccessTokens(id: "7", accessToken: "token"))
        api.answer("GET v1/users/me", #"{"id": "7"}"#)
        api.answer("PUT v1/users/:id/profile", #"{"isAccepted": false, "reason": "Closed today."}"#)

        let error = await #expect(throws: ServiceError.self) {
            try await LiveMemberService(api: api).submit(ada)
        }

        #expect(error?.message == "Closed today.")
    }

    @Test("The repository with a mock: its rule, without a server")
    func repository() async throws {
        let container = try TestContainer(MemberModule.self)
        let repository = try container.repository(MemberRepository.self)

        await #expect(throws: ServiceError.minimumAge) {
            try await repository.submit(Member(firstName: "Ada", lastName: "King", age: 17))
        }
        try await repository.submit(ada)

        #expect(container.mock("MemberService")?.calls.map(\.name) == ["submit"])
    }

    @Test("Both together: the repository over the service over the API")
    func together() async throws {
        let api = ScriptedAPIClient(tokens: AccessTokens(id: "7", accessToken: "token"))
        api.answer("GET v1/users/me", #"{"id": "7"}"#)
        api.answer("PUT v1/users/:id/profile", #"{"isAccepted": true}"#)
        let container = try TestContainer(MemberModule.self, environment: .live, api: api)
        try container.override((any MemberService).self) { LiveMemberService(api: api) }

        try await container.repository(MemberRepository.self).submit(ada)

        #expect(api.calls.map(\.description) == ["GET v1/users/me", "PUT v1/users/7/profile"])
    }
}
