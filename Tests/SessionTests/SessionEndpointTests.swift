import AtriumKit
import TestSupport
import Testing

@testable import Session

@Suite("Session endpoints")
struct SessionEndpointTests {
    @Test("Requests and answers are those of the server's description")
    func description() throws {
        let server = try ServerDescription()
        let credentials = Credentials(email: "ada@example.com", password: "correct horse")
        let unread: Set = ["status", "createdAt"]

        let endpoints = [
            try server.compare(.createUser(credentials), unread: unread),
            try server.compare(.me(.test("t")), unread: unread),
            try server.compare(Endpoint<SessionUser>.me, unread: unread),
            try server.compare(.sessions),
            try server.compare(.endSessions),
        ]

        for endpoint in endpoints { #expect(endpoint.differences == [], "\(endpoint.endpoint)") }
        #expect(
            try Set(endpoints.map(\.endpoint)) == ServerDescription.endpoints(ofModule: "Session"))
    }
}
