import AtriumKit
import TestSupport
import Testing

@testable import UserProfile

@Suite("Profile endpoints")
struct ProfileEndpointTests {
    @Test("Requests and answers are those of the server's description")
    func description() throws {
        let server = try ServerDescription()
        let whole = Profile(firstName: "Ada", lastName: "Lovelace", age: 36, bio: "A bio.")
        let shortest = Profile(firstName: "Ada", lastName: "Lovelace")
        let query = RecordQuery<DirectoryUser>(search: "ada", status: .active, isDescending: true)

        let endpoints = [
            try server.compare(.profile("u")),
            try server.compare(.submit(whole, "u", replacing: .none)),
            try server.compare(.submit(shortest, "u", replacing: ProfileVersion(number: 2))),
            try server.compare(.notify(.profileUpdated, "u")),
            try server.compare(.notifications("u", limit: 10)),
            try server.compare(Endpoint<UserAnswer>.me, unread: ["createdAt"]),
            try server.compare(.user("u"), unread: ["createdAt"]),
            try server.compare(.users(query), unread: ["rows.createdAt", "page", "size"]),
        ]

        for endpoint in endpoints { #expect(endpoint.differences == [], "\(endpoint.endpoint)") }
        #expect(
            try Set(endpoints.map(\.endpoint)) == ServerDescription.endpoints(ofModule: "UserProfile"))
    }
}
