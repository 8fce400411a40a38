import AtriumKit

@testable import UserProfile

/// A directory with the users of the samples, which records its calls and fails as its mock behavior says.
struct TestDirectory: ReadOnlyRecordService {
    var users = DirectoryUser.samples
    var behavior = MockBehavior.test()

    func page(_ query: RecordQuery<DirectoryUser>) async throws -> RecordPage<DirectoryUser> {
        try await behavior.play("page", [:], failingWith: Self.failure)
        return try query.page(of: users)
    }

    func record(_ id: String) async throws -> DirectoryUser {
        try await behavior.play("record", ["id": id], failingWith: Self.failure)
        guard let user = users.first(where: { $0.id == id }) else {
            throw ServiceError.noRecord(DirectoryUser.self, id)
        }
        return user
    }

    static let failure = ServiceError.unavailable("The user service", mock: "DirectoryUserService")
}

extension RecordQuery<DirectoryUser> {
    init(
        search: String? = nil, status: UserStatus? = nil, isDescending: Bool = false, page: Int = 1,
        size: Int = 20
    ) {
        self.init()
        (self.search, self.page, self.size) = (search, page, size)
        filters["status"] = status?.rawValue
        sort = RecordSort(field: "name", isDescending: isDescending)
    }
}
