import AtriumKit

struct MockUserDirectoryService: UserDirectoryService {
    let behavior: MockBehavior

    private var people: [DirectoryUser] {
        behavior.scenario.kind == .edge ? MockDirectoryData.edge : MockDirectoryData.usual
    }

    func users(_ query: UserQuery) async throws -> UserPage {
        var arguments = ["page": "\(query.page)", "sort": query.sort.rawValue]
        arguments["search"] = query.filter.search
        arguments["status"] = query.filter.status?.rawValue
        try await behavior.play("users", arguments, failingWith: ServiceError.directory)
        return query.page(of: people)
    }

    func user(_ id: String) async throws -> DirectoryUser {
        try await behavior.play("user", ["id": id], failingWith: ServiceError.directory)
        guard let user = people.first(where: { $0.id == id }) else { throw ServiceError.notFound(id) }
        return user
    }
}

enum MockDirectoryData {
    static let usual = [
        user("mock-mohamed", "mohamed@example.com", nil, .active),
        user("mock-grace", "grace@example.com", "Grace Hopper", .active),
        user("mock-alan", "alan@example.com", "Alan Turing", .inactive),
        user("mock-ada", "ada@example.com", "Ada Lovelace", .active),
        user("mock-hannah", "hannah@example.com", "Hannah Fry", .active),
        user("mock-konrad", "konrad@example.com", "konrad Zuse", .inactive),
    ]

    static let edge = [
        user("mock-edge-1", "zażółć.gęślą@przykład.example", "Zażółć Gęślą-Jaźń", .active),
        user("mock-edge-2", "用户@例え.example", "用户 👩‍👩‍👧‍👦", .active),
        user("mock-edge-3", nil, String(repeating: "Wolfeschlegelsteinhausen", count: 8), .inactive),
        user("mock-edge-5", nil, "ADA", .active), user("mock-edge-4", nil, "ada", .active),
        user("mock-edge-6", nil, nil, .inactive),
    ]

    private static func user(
        _ id: String, _ email: String?, _ name: String?, _ status: UserStatus
    ) -> DirectoryUser {
        DirectoryUser(id: id, email: email, displayName: name, status: status)
    }
}
